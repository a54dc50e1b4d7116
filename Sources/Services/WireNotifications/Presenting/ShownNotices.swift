import WireConfig
import WireMessageBus

/// The notices on the desktop, by the numbers of its server.
struct ShownNotices {
    /// What the user did with a notice.
    enum Act: Equatable, Sendable {
        case tapped(id: String, button: String?)
        case dismissed(id: String)
    }

    private struct Shown {
        let number: UInt32
        let id: String
        let key: String?
        let buttons: [String]
        let expires: Int64?
        /// A tap makes the server close it, which is no dismissal then.
        var isTapped = false
    }

    /// More than any desktop keeps.
    private static let limit = 1_000

    /// The server that issued the numbers; nil until one is found.
    private(set) var server: DesktopServer?
    /// The unique name of the last known owner of the well-known name.
    private var former: String?
    private var shown: [Shown] = []
    /// The ids of the notices to close.
    private var unwanted: [String] = []
    /// The notice of the call in progress, and the number that it may replace; 0 for none.
    private var calling: (id: String, replacing: UInt32)?
    /// Signals for numbers that the call in progress may return.
    private var early: [BusSignal] = []

    // MARK: The server

    /// Uses the numbers of this server, unless it has lost the well-known name meanwhile.
    mutating func follow(_ server: DesktopServer) {
        guard server.name != former else { return }
        self.server = server
    }

    /// Forgets the numbers of a server that has lost the well-known name.
    mutating func noteOwnerChange(from old: String) {
        former = old.isEmpty ? nil : old
        guard server?.name == former else { return }
        (server, shown, early) = (nil, [], [])
        unwanted.removeAll { $0 != calling?.id }
        calling?.replacing = 0
    }

    /// Forgets everything, since the bus is lost.
    mutating func forgetAll() { self = ShownNotices() }

    // MARK: Showing

    /// Begins a call; returns the number of the notice to replace, or 0.
    mutating func begin(_ notice: DesktopNotice) -> UInt32 {
        let number = shown.last { $0.id == notice.id || ($0.key != nil && $0.key == notice.key) }?.number ?? 0
        calling = (notice.id, number)
        return number
    }

    /// Ends a call with its number; returns the actions of the user that came before it.
    mutating func end(_ notice: DesktopNotice, as number: UInt32, by server: String) -> [Act] {
        let signals = early
        (calling, early) = (nil, [])
        // The server may have gone since its response.
        guard server == self.server?.name else { return [] }
        shown.removeAll {
            $0.number == number || $0.id == notice.id || ($0.key != nil && $0.key == notice.key)
        }
        shown.append(
            Shown(
                number: number,
                id: notice.id,
                key: notice.key,
                buttons: notice.buttons.map(\.name),
                expires: notice.expires
            )
        )
        if shown.count > Self.limit { shown.removeFirst() }
        return signals.compactMap { interpret($0) }
    }

    /// Ends a failed call; returns whether its notice is still wanted.
    mutating func fail() -> Bool {
        defer { (calling, early) = (nil, []) }
        return calling.map { !unwanted.contains($0.id) } ?? true
    }

    // MARK: Hearing

    /// Interprets a signal; nil where it is not from the server that issued the number.
    mutating func interpret(_ signal: BusSignal) -> Act? {
        guard signal.sender == server?.name, let number = signal.values.first?.number else { return nil }
        // The server may have replaced the other notice before the response was received here.
        if let calling, number != 0, number == calling.replacing, signal.member == "ActionInvoked" {
            if early.count < 64 { early.append(signal) }
            return nil
        }
        guard let index = shown.lastIndex(where: { $0.number == number }) else {
            if calling != nil, early.count < 64 { early.append(signal) }
            return nil
        }
        let notice = shown[index]
        switch (signal.member, signal.values.dropFirst().first) {
        case ("ActionInvoked", .string("default")):
            shown[index].isTapped = true
            return .tapped(id: notice.id, button: nil)
        case ("ActionInvoked", .string(let action)):
            guard let button = notice.buttons.first(where: { DesktopNotice.action(of: $0) == action }) else {
                return nil
            }
            shown[index].isTapped = true
            return .tapped(id: notice.id, button: button)
        case ("NotificationClosed", .uint32(let reason)):
            shown.remove(at: index)
            // 2: dismissed by the user. 1, 3 and 4: expired, closed by a call, or undefined.
            return reason == 2 && !notice.isTapped ? .dismissed(id: notice.id) : nil
        // Other signals, such as activation tokens, are not used.
        default: return nil
        }
    }

    // MARK: Closing

    /// Marks a notice for closing, shown or about to be.
    mutating func close(_ id: String) {
        guard id == calling?.id || shown.contains(where: { $0.id == id }), !unwanted.contains(id) else { return }
        unwanted.append(id)
    }

    mutating func closeAll() { unwanted = shown.map(\.id) + (calling.map { [$0.id] } ?? []) }

    /// Removes and returns the number of the next notice to close.
    ///
    /// Not to be called during a call in progress, which may replace it.
    mutating func nextToClose(at now: Int64) -> UInt32? {
        while !unwanted.isEmpty {
            let id = unwanted.removeFirst()
            if let index = shown.lastIndex(where: { $0.id == id }) { return shown.remove(at: index).number }
        }
        return shown.firstIndex { $0.expires ?? .max <= now }.map { shown.remove(at: $0).number }
    }

    var nextExpiry: Int64? { shown.lazy.compactMap(\.expires).min() }
}
