/* SPDX-License-Identifier: GPL-2.0-or-later */
/* message.h - what celld tells its user. */
#ifndef MESSAGE_H
#define MESSAGE_H

/** celld_say() - a line on standard error */
__attribute__((format(printf, 1, 2))) void celld_say(const char *fmt, ...);

#endif
