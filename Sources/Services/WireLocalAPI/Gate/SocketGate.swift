import WireBase
import WireHTTP
import WireService

/// Who may use the Unix socket: by what the kernel says about its other end.
struct SocketGate: Sendable {
    private let own: UInt32
    private let readers: KnownCallers
    private let writers: KnownCallers

    init(_ access: SocketAccess, _ accounts: any Accounts) {
        own = accounts.ownUser
        readers = KnownCallers(access.read, accounts)
        writers = KnownCallers(access.write, accounts)
    }

    /// Browsers cannot reach a Unix socket; a request that says it comes from one was passed on by something that should
    /// not be there.
    func problem(with head: Request) -> Problem? {
        for name in ["Origin", "Referer"] where head.fields[name] != nil {
            return .forbidden("a request over the socket has no \(name)")
        }
        return nil
    }

    func rights(user: UInt32, group: UInt32) -> Rights {
        let account = "user \(user)"
        if user == 0 || user == own || writers.contain(user: user, group: group) { return .everything(account) }
        if readers.contain(user: user, group: group) { return Rights(access: .read, account: account) }
        return Rights(access: nil, account: account)
    }
}

/// Users and groups as numbers; names nobody has are left out.
private struct KnownCallers: Sendable {
    private let users: Set<UInt32>
    private let groups: Set<UInt32>
    private let anyone: Bool
    private let accounts: any Accounts

    init(_ callers: Callers, _ accounts: any Accounts) {
        users = Set(callers.users.compactMap { UInt32($0.text) ?? accounts.user(named: $0.text) })
        groups = Set(callers.groups.compactMap { UInt32($0.text) ?? accounts.group(named: $0.text) })
        anyone = callers.anyone
        self.accounts = accounts
    }

    /// The kernel tells one group of a process; the others are those of its user.
    func contain(user: UInt32, group: UInt32) -> Bool {
        if anyone || users.contains(user) || groups.contains(group) { return true }
        return !groups.isEmpty && !groups.isDisjoint(with: accounts.groups(of: user))
    }
}
