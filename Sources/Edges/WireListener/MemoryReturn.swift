import CLinux

/// Returns free memory to the system after a burst of connections; the C library would keep most of it.
struct MemoryReturn {
    /// The most connections that were open since memory was last returned.
    private var most = 0
    private var due: UInt64?

    /// Whether nothing will have to be returned, so that no time has to be awaited.
    var isIdle: Bool { most < Self.burst }

    /// Notes how many connections are open; a burst may be over before the next check.
    mutating func note(open: Int) { most = max(most, open) }

    /// Returns memory when a burst has been over for a second.
    mutating func check(open: Int, at now: UInt64) {
        guard most >= Self.burst, open <= most / 4 else { return due = nil }
        guard let due else { return due = now + Self.pause }
        guard now >= due else { return }
        corewire_return_memory()
        (most, self.due) = (open, nil)
    }

    private static let burst = 32
    private static let pause: UInt64 = 1_000_000_000
}
