import Foundation
import Support
import Testing
import WireHost

@Suite("Signals")
struct SignalTests {
    @Test("signals arrive in order, and the program continues")
    func order() throws {
        let child = try Child(Peer.probe, ["signals"])
        #expect(child.line() == "ready")
        for (number, name) in [(SIGHUP, "hangUp"), (SIGUSR1, "user1"), (SIGINT, "interrupt"), (SIGTERM, "terminate")] {
            child.signal(number)
            #expect(child.line() == name)
        }
        #expect(child.end() == 0)
    }

    @Test("simultaneous signals are each reported once")
    func once() throws {
        let child = try Child(Peer.probe, ["signals"])
        #expect(child.line() == "ready")
        child.signal(SIGSTOP)
        for number in [SIGINT, SIGUSR1, SIGHUP] { child.signal(number) }
        child.signal(SIGCONT)
        // In no promised order: the system may hand each to another thread.
        #expect(Set([child.line(), child.line(), child.line()]) == ["hangUp", "user1", "interrupt"])
        child.signal(SIGTERM)
        #expect(child.line() == "terminate")
    }

    @Test("a write to a closed pipe is an error that the program survives")
    func pipe() throws {
        #expect(try Program.run(Peer.probe, ["pipe"]).output == "0\n-1 true\n")
    }

    @Test("after the handler is removed, signals end the process again")
    func released() throws {
        let child = try Child(Peer.probe, ["released"])
        #expect(child.line() == "true")
        #expect(child.end() == SIGTERM)
    }

    @Test("there is one handler at a time, and another can follow")
    func one() async throws {
        var first: Signals? = try Signals()
        #expect(throws: HostError.self) { try Signals() }
        // The stream ends when its catcher goes, and only then may another come.
        var iterator = first?.makeAsyncIterator()
        first = nil
        #expect(await iterator?.next() == nil)
        let second = try Signals()
        kill(getpid(), SIGUSR1)
        var next = second.makeAsyncIterator()
        #expect(await next.next() == .user1)
        withExtendedLifetime(second) {}
    }
}
