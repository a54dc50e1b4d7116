import WireBase
import WireHTTP
import WireService

/// The access control of the Unix socket, by the kernel's peer credentials.
struct SocketCallerAccess: Sendable {
    private let own: UInt32
    private let readers: KnownCallers
    private let writers: KnownCallers

    init(_ access: SocketAccess, _ accounts: any Accounts) {
        own = accounts.ownUser
        readers = KnownCallers(access.read, accounts)
        writers = KnownCallers(access.write, accounts)
    }

    /// Rejects requests with browser fields: browsers cannot reach a Unix socket, so a proxy must have forwarded them.
    func problem(with head: Request) -> Problem? {
        for name in ["Origin", "Referer"] where head.fields[name] != nil {
            return .forbidden("requests over the socket must not have \(name)")
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

/// Users and groups as numbers; unknown names are left out.
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

    /// The kernel reports one group of a process; the others are those of its user.
    func contain(user: UInt32, group: UInt32) -> Bool {
        if anyone || users.contains(user) || groups.contains(group) { return true }
        return !groups.isEmpty && !groups.isDisjoint(with: accounts.groups(of: user))
    }
}
