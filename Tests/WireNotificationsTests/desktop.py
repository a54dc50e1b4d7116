"""A desktop's notification service on the session bus, which tells what it was asked to show and does as it is told.

usage: desktop.py FILE [--first NUMBER] [--can WORD,...] [--answer TEXT]: writes what is shown and closed to FILE, a line of JSON
each; takes 'press NUMBER KEY', 'token NUMBER TEXT', 'close NUMBER REASON' and 'forge NUMBER KEY' from standard input, and prints
'ready' when it is on the bus. With --answer it answers 'Notify' with a text.
"""

import argparse
import json
import os

import dbus
import dbus.lowlevel
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib

NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"


def plain(value):
    if isinstance(value, dbus.Boolean):
        return bool(value)
    return int(value) if isinstance(value, dbus.Byte) else str(value)


class Desktop(dbus.service.Object):
    last = 0
    sender = None

    def note(self, what):
        # When it has been answered: a test that sees the line may end this server.
        GLib.idle_add(self.write, json.dumps(what) + "\n")

    def write(self, line):
        with open(arguments.file, "a") as file:
            file.write(line)
        return False

    @dbus.service.method(NAME, out_signature="as")
    def GetCapabilities(self):
        return [word for word in arguments.can.split(",") if word]

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", sender_keyword="sender")
    def Notify(self, app, replaces, icon, title, body, actions, hints, timeout, sender=None):
        self.sender = sender
        if replaces:
            number = int(replaces)
        else:
            self.last += 1
            number = arguments.first + self.last - 1
        self.note({
            "number": number, "replaces": int(replaces), "app": app, "title": title, "body": body, "actions": list(actions),
            "hints": {str(name): plain(value) for name, value in hints.items()}, "timeout": int(timeout),
        })
        return arguments.answer if arguments.answer is not None else dbus.UInt32(number)

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        self.note({"closed": int(number)})
        self.NotificationClosed(number, dbus.UInt32(3))

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, key):
        pass

    @dbus.service.signal(NAME, signature="us")
    def ActivationToken(self, number, token):
        pass

    @dbus.service.signal(NAME, signature="uu")
    def NotificationClosed(self, number, reason):
        pass


def forge(number, key):
    other = dbus.bus.BusConnection(os.environ["DBUS_SESSION_BUS_ADDRESS"])
    signal = dbus.lowlevel.SignalMessage(PATH, NAME, "ActionInvoked")
    signal.append(dbus.UInt32(number), key, signature="us")
    signal.set_destination(desktop.sender)
    other.send_message(signal)
    other.flush()
    other.close()


def hear(source, condition):
    text = os.read(0, 65536).decode()
    for line in text.splitlines():
        deed, number, what = line.split()
        if deed == "press":
            desktop.ActionInvoked(dbus.UInt32(number), what)
        elif deed == "token":
            desktop.ActivationToken(dbus.UInt32(number), what)
        elif deed == "forge":
            forge(number, what)
        else:
            desktop.NotificationClosed(dbus.UInt32(number), dbus.UInt32(what))
    if not text:
        loop.quit()
    return bool(text)


parser = argparse.ArgumentParser()
parser.add_argument("file")
parser.add_argument("--first", type=int, default=1)
parser.add_argument("--can", default="actions,body,body-markup")
parser.add_argument("--answer")
arguments = parser.parse_args()
DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name = dbus.service.BusName(NAME, bus)
desktop = Desktop(bus, PATH)
GLib.io_add_watch(0, GLib.IO_IN | GLib.IO_HUP, hear)
loop = GLib.MainLoop()
print("ready", flush=True)
loop.run()
