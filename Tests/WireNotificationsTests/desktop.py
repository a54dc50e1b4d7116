"""A desktop's notification service on the session bus, which tells what it was asked to show and does as it is told.

usage: desktop.py FILE: writes what is shown to FILE, a line of JSON each; takes 'press NUMBER KEY' and 'close NUMBER REASON'
from standard input, and prints 'ready' when it is on the bus.
"""

import json
import os
import sys

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


class Desktop(dbus.service.Object):
    last = 0

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, app, replaces, icon, title, body, actions, hints, timeout):
        self.last += 1
        shown = {
            "number": self.last, "app": app, "title": title, "body": body, "actions": list(actions),
            "hints": {str(name): bool(value) if isinstance(value, dbus.Boolean) else str(value) for name, value in hints.items()},
        }
        with open(sys.argv[1], "a") as file:
            file.write(json.dumps(shown) + "\n")
        return dbus.UInt32(self.last)

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, key):
        pass

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass


def hear(source, condition):
    text = os.read(0, 65536).decode()
    for line in text.splitlines():
        deed, number, what = line.split()
        if deed == "press":
            desktop.ActionInvoked(dbus.UInt32(number), what)
        else:
            desktop.NotificationClosed(dbus.UInt32(number), dbus.UInt32(what))
    if not text:
        loop.quit()
    return bool(text)


DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName(NAME, bus)
desktop = Desktop(bus, PATH)
GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, hear)
loop = GLib.MainLoop()
print("ready", flush=True)
loop.run()
