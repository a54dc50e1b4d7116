import WireConfig
import WireMessageBus

/// The notifications that a desktop shows now, by the numbers its server knows them by.
struct ShownNotices {
    /// What a person did with one.
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
        /// Its server closes it for that, which is no putting away then.
        var isTapped = false
    }

    /// More than any desktop keeps.
    private static let limit = 1_000

    /// The server that has given the numbers; nil where it is to be found first.
    private(set) var server: DesktopServer?
    /// The unique name that the well-known name was last taken from.
    private var former: String?
    private var shown: [Shown] = []
    /// The ids of those that are to be closed.
    private var unwanted: [String] = []
    /// What a call under way is to show, and the number that it may take over; 0 where it is none.
    private var calling: (id: String, replacing: UInt32)?
    /// Signals about numbers that the call under way may be about to bring.
    private var early: [BusSignal] = []

    // MARK: The server

    /// From now on the numbers are those of this server, unless it has lost the well-known name meanwhile.
    mutating func follow(_ server: DesktopServer) {
        guard server.name != former else { return }
        self.server = server
    }

    /// The well-known name has gone from that program, or from none to another: its numbers mean nothing any more.
    mutating func noteOwnerChange(from old: String) {
        former = old.isEmpty ? nil : old
        guard server?.name == former else { return }
        (server, shown, early) = (nil, [], [])
        unwanted.removeAll { $0 != calling?.id }
        calling?.replacing = 0
    }

    /// The bus is lost, with all that is on it.
    mutating func forgetAll() { self = ShownNotices() }

    // MARK: Showing

    /// The number of what a notice takes the place of; 0 where it is nothing.
    mutating func begin(_ notice: DesktopNotice) -> UInt32 {
        let number = shown.last { $0.id == notice.id || ($0.key != nil && $0.key == notice.key) }?.number ?? 0
        calling = (notice.id, number)
        return number
    }

    /// It is shown now; returns what was done with it before its number was known.
    mutating func end(_ notice: DesktopNotice, as number: UInt32, by server: String) -> [Act] {
        let signals = early
        (calling, early) = (nil, [])
        // The server may have gone since it has answered.
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
        return signals.compactMap { hear($0) }
    }

    /// The call has come to nothing; returns whether what it was to show is still wanted.
    mutating func fail() -> Bool {
        defer { (calling, early) = (nil, []) }
        return calling.map { !unwanted.contains($0.id) } ?? true
    }

    // MARK: Hearing

    /// What a signal of a notification server means; nothing where it is not of the server that gave the number.
    mutating func hear(_ signal: BusSignal) -> Act? {
        guard signal.sender == server?.name, let number = signal.values.first?.number else { return nil }
        // The server may have put the other notice in its place before the answer to the call was taken in here.
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
            // 2: put away by the user. 1, 3 and 4 say that its time was over, that this program asked for it, or nothing.
            return reason == 2 && !notice.isTapped ? .dismissed(id: notice.id) : nil
        // What else servers tell, the token of an activation among it, is of no use here.
        default: return nil
        }
    }

    // MARK: Closing

    /// Has it closed, where it is shown or about to be.
    mutating func close(_ id: String) {
        guard id == calling?.id || shown.contains(where: { $0.id == id }), !unwanted.contains(id) else { return }
        unwanted.append(id)
    }

    mutating func closeAll() { unwanted = shown.map(\.id) + (calling.map { [$0.id] } ?? []) }

    /// Takes out the next one that is to be closed: the number it is closed by.
    ///
    /// Not to be asked while a call is under way, which may replace it.
    mutating func nextToClose(at now: Int64) -> UInt32? {
        while !unwanted.isEmpty {
            let id = unwanted.removeFirst()
            if let index = shown.lastIndex(where: { $0.id == id }) { return shown.remove(at: index).number }
        }
        return shown.firstIndex { $0.expires ?? .max <= now }.map { shown.remove(at: $0).number }
    }

    var nextExpiry: Int64? { shown.lazy.compactMap(\.expires).min() }
}
