import Foundation
import Support
import Testing

@Suite("Network links")
struct LinkTests {
    /// A machine of its own, with a loopback interface alone, where a program of ours looks at the links.
    private struct Machine {
        private let shell: Child

        init() throws {
            shell = try Child("/usr/bin/unshare", ["--user", "--map-root-user", "--net", "/bin/sh"])
            try then("ip link set lo up; ip addr add 10.9.9.9/32 dev lo; \(Peer.probe) links &")
        }

        /// What its shell does next.
        func then(_ command: String) throws { try shell.say(command) }

        func line() -> String? { shell.line() }

        func end() throws {
            try then("kill -KILL $!; exit")
            _ = shell.end()
        }
    }

    @Test("an interface that gets or loses an address is noticed")
    func news() throws {
        let machine = try Machine()
        // An address of the loopback interface leads nowhere.
        #expect(machine.line() == "false")
        // One without an address of its own, beside that of the link, leads nowhere either; so nothing is said until there is.
        try machine.then("ip link add v0 type veth peer name v1; ip link set v0 up; ip link set v1 up")
        try machine.then("ip addr add 10.7.7.1/24 dev v0")
        #expect(machine.line() == "true")
        try machine.then("ip link set v1 down")
        #expect(machine.line() == "false")
        try machine.then("ip link set v1 up")
        #expect(machine.line() == "true")
        try machine.then("ip addr del 10.7.7.1/24 dev v0")
        #expect(machine.line() == "false")
        try machine.then("ip addr add fd00:77::1/64 dev v0 nodad")
        #expect(machine.line() == "true")
        try machine.then("ip link del v0")
        #expect(machine.line() == "false")
        try machine.end()
    }
}
