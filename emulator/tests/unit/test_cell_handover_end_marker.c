/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * End Markers at handovers: what they end, and what it costs when they get lost.
 * Source: TS 36.300 10.1.2.2
 */
#include "handover.h"

/* No eNB sends one to the S-GW; if one does, it ends there. */
static void test_an_end_marker_at_the_gateway(void **state)
{
	uint8_t packet[CELL_MTU_MAX];
	struct cell_stats stats;
	struct gtpu h;
	struct run r;

	(void)state;
	start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
	h = (struct gtpu){ .src = r.cfg.gtpu.enb_addr[0],
		           .dst = r.cfg.gtpu.sgw_addr,
		           .teid = 1 << 8 | (CELL_TUNNEL_S1 + 1), /* of UE 1, at the S-GW */
		           .type = GTPU_END_MARKER };
	gtpu_pack(&h, 0, packet, 0, packet);
	assert_int_equal(
		cell_push(r.cell, CELL_PORT_SGW, packet, gtpu_header_bytes(&h), 0, RUN_START_NS),
		0);
	run_until(&r, RUN_FOREVER);
	cell_stats(r.cell, &stats);
	assert_int_equal(stats.pkts_terminated, 1);
	assert_int_equal(r.n_delivered, 0);
	assert_int_equal(r.n_dropped, 0);
	run_end(&r);
}

/* The S-GW's End Marker, the first of both, or the source's gets lost: packets wait 200 ms for it.
 */
static void test_a_lost_end_marker_costs_time_only(void **state)
{
	(void)state;
	for (size_t which = 1; which <= 2; which++) {
		size_t seen = 0, last = 0;
		struct run r;

		/* Which of the packets is it? */
		start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		handover(&r, 1, MS(50));
		stream(&r, DOWN, 90, 120, 3);
		run_until(&r, RUN_FOREVER);
		for (size_t i = 0; i < r.n_records; i++)
			if (r.records[i].event == CELL_EV_GTPU_TX && seen < which) {
				last++;
				seen += r.records[i].value == CELL_TUNNEL_END_MARKER;
			}
		run_end(&r);

		start(&r, CELL_RLC_AM, CELL_HO_STANDARD);
		r.lost = last;
		handover(&r, 1, MS(50));
		stream(&r, DOWN, 90, 120, 3);
		run_until(&r, RUN_FOREVER);
		check_order(&r, 1, 10);
		/* From when the UE came, or the last forwarded packet: at 93 + 4 + 4 + 4. */
		assert_in_range(r.delivered[r.n_delivered - 1].t_ns, MS(300), MS(320));
		run_end(&r);
	}
}

/* Of several End Markers any one ends the wait: the first, of the S-GW or of the source, gets lost,
 * and the second comes 20 ms later. */
static void test_another_end_marker_comes_soon(void **state)
{
	(void)state;
	for (size_t which = 1; which <= 2; which++) {
		size_t seen = 0, last = 0, markers = 0;
		int64_t whole_ns = 0;
		struct run r;

		for (int lossy = 0; lossy < 2; lossy++) {
			setup(&r, CELL_RLC_AM, CELL_HO_STANDARD);
			r.cfg.handover.end_markers = 3;
			run_start(&r);
			r.lost = last;
			handover(&r, 1, MS(50));
			stream(&r, DOWN, 90, 120, 3);
			run_until(&r, RUN_FOREVER);
			check_order(&r, 1, 10);
			for (size_t i = 0; i < r.n_records; i++)
				if (r.records[i].event == CELL_EV_GTPU_TX) {
					bool marker = r.records[i].value == CELL_TUNNEL_END_MARKER;

					last += !lossy && seen < which;
					seen += marker;
					markers += marker && lossy;
				}
			if (!lossy)
				whole_ns = r.delivered[r.n_delivered - 1].t_ns;
			else
				assert_in_range(r.delivered[r.n_delivered - 1].t_ns, whole_ns,
				                whole_ns + MS(20));
			run_end(&r);
		}
		/* Three of the S-GW, of which the source has forwarded all that came. */
		assert_int_equal(markers, which == 1 ? 3 + 2 : 3 + 3);
	}
}

/*
 * A prediction is given up while the End Markers to the source are still due: they are not sent any
 * more, and the predicted eNB gets all of its own, 100 ms apart.
 */
static void test_markers_of_a_prediction_that_is_given_up(void **state)
{
	size_t n = 0;
	struct run r;

	(void)state;
	setup(&r, CELL_RLC_AM, CELL_HO_PREDICTION);
	r.cfg.handover.prediction_timeout_ms = 50;
	r.cfg.handover.end_markers = 3;
	r.cfg.handover.end_marker_gap_ms = 100;
	run_start(&r);
	run_apply(&r, CELL_CMD_PREDICT, 1, 1, MS(50));
	run_until(&r, RUN_FOREVER);
	for (size_t i = 0; i < r.n_records; i++) {
		const struct cell_record *row = &r.records[i];

		if (row->event != CELL_EV_GTPU_RX || row->enb != 1)
			continue;
		/* The path comes back at 104. */
		assert_int_equal(row->value, CELL_TUNNEL_END_MARKER);
		assert_int_equal(row->t_ns, MS(108 + 100 * n++));
	}
	assert_int_equal(n, 3);
	run_end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_end_marker_at_the_gateway),
		cmocka_unit_test(test_a_lost_end_marker_costs_time_only),
		cmocka_unit_test(test_another_end_marker_comes_soon),
		cmocka_unit_test(test_markers_of_a_prediction_that_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
