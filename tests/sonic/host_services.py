#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""host_services.py SOCKET DIRECTORY: D-Bus service of the host of a SONiC switch that applies JSON
Patches to CONFIG_DB, and orchagent, which gives PFC to the ASIC. SOCKET: of redis.

It refuses what the YANG modules do. The file DIRECTORY/service says what else it does:
    slow       it goes on when the word is gone, as on a switch with many ports
    refuse     a validator of the platform refuses all patches
    drop       it takes a patch, and does not write it
    no-asic    orchagent does not give PFC to the ASIC
Patches are appended to DIRECTORY/patches."""
import json
import pathlib
import re
import subprocess
import sys
import time

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.SONiC.HostService.gcu"
CONFIG, ASIC, COUNTERS = 4, 1, 2
redis, directory = sys.argv[1], pathlib.Path(sys.argv[2])


def db(number, *command):
    run = subprocess.run(["redis-cli", "-s", redis, "-n", str(number), *command],
                         capture_output=True, text=True, check=True)
    return run.stdout.strip()


def check(table, field, value):
    """Returns an error, or None."""
    if table == "PORT_QOS_MAP" and field == "pfc_enable":
        return None if re.fullmatch("([0-7](,[0-7])*)?", value) else "pfc_enable: pattern"
    if table == "CABLE_LENGTH":
        return None if re.fullmatch("[0-9]+m", value) else "length: pattern"
    return "no such field"


def program(port, pfc):
    """Gives PFC to the ASIC as orchagent does."""
    oid = db(COUNTERS, "hget", "COUNTERS_PORT_NAME_MAP", port)
    mask = sum(1 << int(p) for p in pfc.split(",") if p)
    db(ASIC, "hset", f"ASIC_STATE:SAI_OBJECT_TYPE_PORT:{oid}",
       "SAI_PORT_ATTR_PRIORITY_FLOW_CONTROL", str(mask))


def modes():
    return directory.joinpath("service").read_text(encoding="ascii").split()


def apply(text):
    """Returns a status and a text, as `config apply-patch`."""
    with directory.joinpath("patches").open("a", encoding="ascii") as log:
        log.write(text + "\n")
    while "slow" in modes():
        time.sleep(0.05)
    mode = modes()
    changes = []
    for operation in json.loads(text):
        _, table, row, field = operation["path"].split("/")
        error = check(table, field, operation["value"])
        if operation["op"] != "add" or not db(CONFIG, "exists", f"{table}|{row}") == "1":
            error = "no such row"
        if "refuse" in mode:
            error = "Modification of the table is not supported on this platform"
        if error:
            return 1, f"Error: {operation['path']}: {error}"
        changes.append((table, row, field, operation["value"]))
    for table, row, field, value in changes if "drop" not in mode else []:
        db(CONFIG, "hset", f"{table}|{row}", field, value)
        if field == "pfc_enable" and "no-asic" not in mode:
            program(row, value)
    return 0, ""


class Updater(dbus.service.Object):
    @dbus.service.method(NAME, in_signature="s", out_signature="is")
    def apply_patch_db(self, text):
        return apply(str(text))


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
name = dbus.service.BusName(NAME, bus)
updater = Updater(bus, "/org/SONiC/HostService/gcu")
GLib.MainLoop().run()
