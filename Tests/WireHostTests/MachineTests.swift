import FoundationEssentials
import Support
import Testing
import WireDeviceContract
import WireHost

@Suite("System facts")
struct MachineTests {
    private static func root(_ files: [String: String]) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        return folder
    }

    @Test(
        "the machine is idle while fewer than half of the processors are busy",
        arguments: [
            ("0.00 0.00 0.00 1/100 1\n", 2, true), ("0.99 0 0", 2, true), ("1.00 0 0", 2, false), ("1.0", 4, true),
            ("9.5 0 0", 4, false), ("nonsense", 2, nil), ("-1 0 0", 2, nil), ("inf 0 0", 2, nil), ("", 2, nil),
        ] as [(String, Int, Bool?)]
    )
    func idle(text: String, processors: Int, isIdle: Bool?) throws {
        let folder = try Self.root(["proc/loadavg": text])
        #expect(SystemLoad(root: folder.url.path, processors: processors).isIdle == isIdle)
    }

    @Test("without kernel data all facts are unknown")
    func nothing() throws {
        let folder = try TemporaryFolder()
        let conditions = SystemLoad(root: folder.url.path)
        #expect(conditions.isIdle == nil)
        #expect(conditions.hasPower == nil)
        var facts = SystemInfo(root: folder.url.path).facts()
        // What the program is started with, and the clock, are no files.
        (facts.language, facts.minutesAheadOfUTC) = (nil, nil)
        #expect(facts == MachineFacts())
    }

    @Test(
        "the machine has power unless its own battery feeds it",
        arguments: [
            (
                [("BAT0", ["type": "Battery", "status": "Discharging"]), ("AC", ["type": "Mains", "online": "0"])],
                false
            ),
            (
                [("BAT0", ["type": "Battery", "status": "Discharging"]), ("AC", ["type": "Mains", "online": "1"])], true
            ),
            ([("BAT0", ["type": "Battery", "status": "Charging"])], true),
            (
                [
                    ("BAT0", ["type": "Battery", "status": "Full"]),
                    ("BAT1", ["type": "Battery", "status": "Discharging"]),
                ], false
            ),
            ([("BAT0", ["type": "Battery", "status": "Unknown"])], nil),
            ([("BAT0", ["type": "Battery", "status": "Discharging", "present": "0"])], nil),
            ([("mouse", ["type": "Battery", "status": "Discharging", "scope": "Device"])], nil),
            ([("usb", ["type": "USB", "online": "1"])], true),
            ([("ups", ["type": "UPS", "status": "Discharging"])], false),
            ([("AC", ["type": "Mains", "online": "0"])], nil), ([], nil),
        ] as [([(String, [String: String])], Bool?)]
    )
    func power(supplies: [(String, [String: String])], hasPower: Bool?) throws {
        var files: [String: String] = ["proc/loadavg": "0"]
        for (name, facts) in supplies {
            for (fact, value) in facts { files["sys/class/power_supply/\(name)/\(fact)"] = value + "\n" }
        }
        let folder = try Self.root(files)
        #expect(SystemLoad(root: folder.url.path).hasPower == hasPower)
    }

    @Test("firmware and distribution facts are reported, without vendor placeholders")
    func facts() throws {
        let folder = try Self.root([
            "proc/sys/kernel/ostype": "Linux\n",
            "etc/os-release": "# comment\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID='12'\nbroken\n",
            "sys/class/dmi/id/sys_vendor": "LENOVO\n", "sys/class/dmi/id/product_name": "To Be Filled By O.E.M.\n",
            "sys/class/dmi/id/board_name": "20X\n", "sys/class/dmi/id/chassis_type": "10\n",
            "sys/class/drm/card0-DP-1/status": "disconnected\n", "sys/class/drm/card0-eDP-1/status": "connected\n",
            "sys/class/drm/card0-eDP-1/modes": "1920x1080\n1280x720\n",
        ])
        let facts = SystemInfo(root: folder.url.path).facts()
        #expect(facts.platform == "Linux")
        #expect(facts.systemVersion == "12")
        #expect(facts.systemName == "Debian GNU/Linux 12 (bookworm)")
        #expect(facts.manufacturer == "LENOVO")
        #expect(facts.model == "20X")
        #expect(facts.type == "laptop")
        #expect(facts.screenSize == "1920x1080")
        #expect(facts.hasNFC == false)
    }

    @Test(
        "the chassis type determines the kind of machine",
        arguments: [
            ("1", "virtual"), ("2", nil), ("3", "desktop"), ("7", "desktop"), ("8", "laptop"), ("10", "laptop"),
            ("11", "handheld"), ("23", "server"), ("30", "tablet"), ("31", "laptop"), ("33", "embedded"),
            ("35", "desktop"), ("", nil), ("no number", nil),
        ] as [(String, String?)]
    )
    func kinds(number: String, kind: String?) throws {
        let folder = try Self.root(["sys/class/dmi/id/chassis_type": number + "\n"])
        #expect(SystemInfo(root: folder.url.path).facts().type == kind)
    }

    @Test("a board reports its model by the device tree")
    func board() throws {
        let folder = try Self.root(["proc/device-tree/model": "Raspberry Pi 4 Model B\0"])
        let facts = SystemInfo(root: folder.url.path).facts()
        #expect(facts.model == "Raspberry Pi 4 Model B")
        #expect(facts.type == "embedded")
    }

    @Test("this machine reports its facts")
    func here() {
        #expect(SystemLoad().isIdle != nil)
        #expect(SystemInfo().facts().platform == "Linux")
    }
}
