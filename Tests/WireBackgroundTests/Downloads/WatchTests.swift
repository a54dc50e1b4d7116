import Glibc
import Synchronization
import Testing
import WireBase
import WireDownloadContract

@testable import WireBackground

@Suite("Subscribers of downloads")
struct WatchTests {
    private let watches = DownloadWatches()

    private static func download(_ state: Download.State) -> Download {
        Download("a", "https://files.example.com/a", state, service: "app", created: 0)
    }

    @Test("of two changes at the same time, the one that is read last is sent last")
    func order() async {
        let told = Mutex<[Download.State?]>([])
        let number = watches.add("a", Self.download(.waiting)) { download in
            told.withLock { $0.append(download?.state) }
        }
        #expect(number != nil)
        let hasBegun = OneShot()
        var later: Task<Void, Never>?
        func running() -> Download {
            later = Task.detached { [watches] in
                hasBegun.fire()
                watches.notify(Self.download(.paused))
            }
            // Time for the other change to be sent first, if it could be.
            while !hasBegun.hasFired { sched_yield() }
            for _ in 0..<10_000 { sched_yield() }
            return Self.download(.running)
        }
        watches.notify(running())
        await later?.value
        watches.notify(Self.download(.done))
        #expect(told.withLock { $0 } == [.waiting, .running, .paused, .done, nil])
        #expect(watches.add("a", Self.download(.done)) { _ in } == nil)
    }
}
