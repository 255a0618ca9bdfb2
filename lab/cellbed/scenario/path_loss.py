# SPDX-License-Identifier: GPL-2.0-or-later
"""Path loss of a channel: which model, and what it is valid for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from pydantic import model_validator

from cellbed.scenario.fields import Key, Model


class _Valid(NamedTuple):
    """What a model of path loss is valid for, and heights where none are given.

    Source: TR 38.901 Table 7.4.1-1, Table 7.2-2, Table 7.8-7
    """

    carrier_ghz: tuple[float, float]
    enb_m: float
    building_m: float = 20.0
    enb_least_m: float = 5.0
    ue_below_m: float = math.inf


_MODELS = {"uma": _Valid((2.0, 6.0), 25.0, enb_least_m=10.0), "uma_38901": _Valid((0.5, 100.0), 25.0),
           "umi_38901": _Valid((0.5, 100.0), 10.0), "rma_38901": _Valid((0.5, 30.0), 35.0, 5.0),
           "inh_mixed_38901": _Valid((0.5, 100.0), 3.0, enb_least_m=1.0),
           "inh_open_38901": _Valid((0.5, 100.0), 3.0, enb_least_m=1.0),
           "inf_sl_38901": _Valid((0.5, 100.0), 1.5, enb_least_m=1.0),
           "inf_dl_38901": _Valid((0.5, 100.0), 1.5, enb_least_m=1.0),
           "inf_sh_38901": _Valid((0.5, 100.0), 8.0, enb_least_m=2.0, ue_below_m=2.0),
           "inf_dh_38901": _Valid((0.5, 100.0), 8.0, enb_least_m=6.0, ue_below_m=6.0)}
#: Names of those of 5G.
OF_TR38901 = ", ".join(name for name in _MODELS if name != "uma")


class PathLoss(Model):
    """Source: Nardini, Table 1; TR 36.814 Table B.1.2.1-1 (heights, street, buildings); TR 38.901 Table 7.4.1-1."""

    model: Literal["uma", "uma_38901", "umi_38901", "rma_38901", "inh_mixed_38901", "inh_open_38901", "inf_sl_38901",
                   "inf_dl_38901", "inf_sh_38901", "inf_dh_38901"] = Key("uma",
        says="For all links, from 10 m to 5 km. `uma`: Urban Macro of LTE, TR 36.814 Table B.1.2.1-1, Nardini, Table "
             "1; `uma_38901`, `umi_38901`, `rma_38901`: Urban Macro, Urban Micro (street canyon) and Rural Macro of "
             "5G, TR 38.901 Table 7.4.1-1. In these an eNB without a height is 25, 10 and 35 m high, and buildings "
             "are 5 m high in Rural Macro. `inh_mixed_38901`, `inh_open_38901`: an office with walls, or an open one, "
             "from 1 to 150 m, with antennas at a ceiling of 3 m. `inf_sl_38901`, `inf_dl_38901`, `inf_sh_38901`, "
             "`inf_dh_38901`: a factory with sparse (s) or dense (d) machines, from 1 to 600 m, with a low (l) antenna "
             "of 1.5 m or a high (h) one of 8 m. Machines are 10 m wide and 2 m high on a fifth of the floor, or 2 m "
             "wide and 6 m high on 60 % of it. TR 38.901 Table 7.8-7")
    los: Literal["never", "always", "drawn", "by_place"] = Key("never",
        says="Line of sight. `drawn`: each link draws once, with the probability that its distance has; `by_place`: a "
             "map of each eNB says where there is, with the same probability and correlated over the 50 to 60 m, "
             "in an office 10 m and in a factory 1 or 5 m, of TR 38.901 Table 7.6.3.1-2, with models of 5G and "
             "`model: route` only. Nardini does not say; with line of sight every CQI of section IV would be 15, and "
             "the paper's simulator has none")
    carrier_ghz: float = Key(2.0, 0.5, 100,
        says="Carrier frequency: 2 to 6 GHz with `uma`, up to 30 GHz with `rma_38901`. Nardini, Table 1")
    enb_height_m: float = Key(25.0, 1, 150, says="Height of the eNB's antenna, 10 m and more with `uma`, 5 m and more "
                              "with the others outdoors. TR 36.814 Table B.1.2.1-1")
    ue_height_m: float = Key(1.5, None, 10, gt=1, says="Height of a UE's antenna. TR 36.814 Table B.1.2.1-1")
    street_width_m: float = Key(20.0, 5, 50, says="Width of the streets. TR 36.814 Table B.1.2.1-1")
    building_height_m: float = Key(20.0, 5, 50, says="Average height of the buildings. TR 36.814 Table B.1.2.1-1")

    @model_validator(mode="before")
    @classmethod
    def heights_of_the_model(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or data.get("model") not in _MODELS:
            return data
        valid = _MODELS[data["model"]]
        return {"enb_height_m": valid.enb_m, "building_height_m": valid.building_m, **data}

    @model_validator(mode="after")
    def what_the_model_covers(self) -> PathLoss:
        (low, high), _, _, least_m, below_m = _MODELS[self.model]
        if not low <= self.carrier_ghz <= high:
            raise ValueError(f"key 'carrier_ghz': value {self.carrier_ghz:g}: model {self.model} does not cover it; "
                             f"allowed {low:g}..{high:g}")
        if self.enb_height_m < least_m:
            raise ValueError(f"key 'enb_height_m': value {self.enb_height_m:g}: model {self.model} does not cover it; "
                             f"allowed {least_m:g}..150")
        if self.ue_height_m >= below_m:
            raise ValueError(f"key 'ue_height_m': value {self.ue_height_m:g}: model {self.model} has machines of "
                             f"{below_m:g} m, and UEs are lower; allowed more than 1, less than {below_m:g}")
        return self
