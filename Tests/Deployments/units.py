"""What systemd does with a unit, as far as a runner sees it: the settings, the specifiers, the folders, the credentials."""

import os
import shlex

# A user of the range that DynamicUser= takes.
USER = 61_500


class Unit:
    """A unit with its drop-ins, for a machine."""

    def __init__(self, files, host):
        self.host, self.settings = host, {}
        for file in files:
            for line in file.read_text().splitlines():
                name, sign, value = line.partition("=")
                if not sign or line.startswith("#"):
                    continue
                values = self.settings.setdefault(name, [])
                # An empty value removes the former ones.
                values[:] = [*values, self.expanded(value)] if value else []

    def expanded(self, value):
        text = value.replace("%l", self.host)
        if "%" in text:
            raise ValueError(f"a specifier that this reader does not know: {value}")
        return text

    def one(self, name):
        """The last value of a setting."""
        return self.settings[name][-1]

    @property
    def command(self):
        return shlex.split(self.one("ExecStart"))

    @property
    def environment(self):
        """The variables of the process."""
        given = dict(word.split("=", 1) for value in self.settings.get("Environment", []) for word in shlex.split(value))
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "STATE_DIRECTORY": f"/var/lib/{self.one('StateDirectory')}",
            "RUNTIME_DIRECTORY": f"/run/{self.one('RuntimeDirectory')}",
            "CREDENTIALS_DIRECTORY": "/run/credentials/corewire.service",
            **given,
        }

    def prepare(self, machine):
        """Make the folders and the credentials."""
        for name, mode in [("STATE_DIRECTORY", "StateDirectoryMode"), ("RUNTIME_DIRECTORY", "RuntimeDirectoryMode")]:
            folder = machine.path(self.environment[name])
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(int(self.one(mode), 8))
            os.chown(folder, USER, USER)
        for value in self.settings["LoadCredential"]:
            name, path = value.split(":", 1)
            text = machine.path(path).read_text()
            machine.write(f"{self.environment['CREDENTIALS_DIRECTORY']}/{name}", text, USER, 0o400)

    def place(self, machine):
        """The beginning of the command: enters the machine, with the user and the rights of the unit."""
        rights = ["--no-new-privs"] if self.one("NoNewPrivileges") == "yes" else []
        if self.settings["CapabilityBoundingSet"] == []:
            rights.append("--bounding-set=-all")
        user = [f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        umask = ["sh", "-c", f"umask {self.one('UMask')}; exec \"$@\"", "sh"]
        return (*machine.place, *umask, "setpriv", *user, *rights, "--")
