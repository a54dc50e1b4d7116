import WireConfig
import WireService

/// The notifications that a desktop shows now, by the numbers its server knows them by.
struct ShownNotices {
    /// What a person did with one.
    enum Act: Equatable, Sendable {
        case tapped(id: String, button: String?)
        case dismissed(id: String)
    }

    private struct Shown {
        let number: UInt32
        /// The unique name of the server that gave the number.
        let server: String
        let id: String
        let key: String?
        let buttons: [String]
        let expires: Int64?
        /// Its server closes it for that, which is no putting away then.
        var isTapped = false
    }

    /// More than any desktop keeps.
    private static let limit = 1_000

    private var shown: [Shown] = []
    /// Signals about numbers that a call under way may be about to bring.
    private var early: [BusSignal] = []
    private var isCalling = false
    /// The number that a call under way may give to another notice; 0 where it is none.
    private var replacing: UInt32 = 0

    // MARK: Showing

    /// The number of what a notice takes the place of; 0 where it is nothing.
    mutating func begin(_ notice: DesktopNotice) -> UInt32 {
        isCalling = true
        replacing = shown.last { $0.id == notice.id || ($0.key != nil && $0.key == notice.key) }?.number ?? 0
        return replacing
    }

    /// It is shown now; returns what was done with it before its number was known.
    mutating func end(_ notice: DesktopNotice, as number: UInt32, by server: String) -> [Act] {
        shown.removeAll {
            $0.server == server && $0.number == number || $0.id == notice.id || ($0.key != nil && $0.key == notice.key)
        }
        shown.append(
            Shown(
                number: number,
                server: server,
                id: notice.id,
                key: notice.key,
                buttons: notice.buttons.map(\.name),
                expires: notice.expires
            )
        )
        if shown.count > Self.limit { shown.removeFirst() }
        let signals = early
        fail()
        return signals.compactMap { hear($0) }
    }

    mutating func fail() { (isCalling, replacing, early) = (false, 0, []) }

    // MARK: Hearing

    /// What a signal of a notification server means; nothing where it is not of the server that gave the number.
    mutating func hear(_ signal: BusSignal) -> Act? {
        guard let number = signal.values.first?.number else { return nil }
        // The server may have put the other notice in its place before the answer to the call was taken in here.
        if isCalling, number != 0, number == replacing, signal.member == "ActionInvoked" {
            if early.count < 64 { early.append(signal) }
            return nil
        }
        guard let index = shown.lastIndex(where: { $0.number == number && $0.server == signal.sender }) else {
            if isCalling, early.count < 64 { early.append(signal) }
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

    // MARK: Going

    /// Numbers of a server that is gone mean nothing any more.
    mutating func forget(server: String) { shown.removeAll { $0.server == server } }

    mutating func forgetAll() {
        shown = []
        fail()
    }

    /// Takes one out; the number it is closed by.
    mutating func remove(_ id: String) -> UInt32? {
        guard let index = shown.lastIndex(where: { $0.id == id }) else { return nil }
        return shown.remove(at: index).number
    }

    mutating func removeAll() -> [UInt32] {
        defer { shown = [] }
        return shown.map(\.number)
    }

    mutating func removeExpired(at now: Int64) -> [UInt32] {
        let over = shown.filter { $0.expires ?? .max <= now }
        if !over.isEmpty { shown.removeAll { $0.expires ?? .max <= now } }
        return over.map(\.number)
    }

    var nextExpiry: Int64? { shown.lazy.compactMap(\.expires).min() }
}
