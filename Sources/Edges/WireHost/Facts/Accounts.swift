import Glibc
import WireBase

/// The users and groups of this machine, by name and number.
///
/// Lookups may use the network and take long: never call this while a request waits.
package enum Accounts {
    /// Returns the number of a user by name or number; nil for an unknown name.
    package static func user(_ name: String) throws(HostError) -> UInt32? {
        if let number = UInt32(name) { return number }
        var entry = unsafe passwd()
        return try lookUp(name) { buffer, found in
            var match: UnsafeMutablePointer<passwd>?
            let status = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &match)
            if unsafe match != nil { found = unsafe entry.pw_uid }
            return status
        }
    }

    /// Returns the number of a group by name or number; nil for an unknown name.
    package static func group(_ name: String) throws(HostError) -> UInt32? {
        if let number = UInt32(name) { return number }
        var entry = unsafe Glibc.group()
        return try lookUp(name) { buffer, found in
            var match: UnsafeMutablePointer<Glibc.group>?
            let status = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &match)
            if unsafe match != nil { found = unsafe entry.gr_gid }
            return status
        }
    }

    /// Returns the groups of a user, its own first; none for a number without a name.
    package static func groups(of user: UInt32) throws(HostError) -> [UInt32] {
        var entry = unsafe passwd()
        let groups: [UInt32]? = try lookUp("\(user)") { buffer, found in
            var match: UnsafeMutablePointer<passwd>?
            let status = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &match)
            if unsafe match != nil { found = unsafe memberships(of: entry) }
            return status
        }
        return groups ?? []
    }

    private static func memberships(of entry: passwd) -> [UInt32] {
        // The largest number of groups of a process on Linux.
        var groups = [gid_t](repeating: 0, count: 65_536)
        var count = Int32(groups.count)
        guard unsafe getgrouplist(entry.pw_name, entry.pw_gid, &groups, &count) >= 0 else {
            return unsafe [entry.pw_gid]
        }
        return Array(groups.prefix(Int(count)))
    }

    /// Repeats a lookup with a larger buffer until the result fits.
    private static func lookUp<Answer>(
        _ name: String,
        _ ask: (inout [CChar], inout Answer?) -> Int32
    ) throws(HostError) -> Answer? {
        var room = 1_024
        while true {
            var answer: Answer?
            var buffer = [CChar](repeating: 0, count: room)
            let status = ask(&buffer, &answer)
            switch status {
            case 0: return answer
            // POSIX permits these errors for an unknown name.
            case ENOENT, ESRCH: return nil
            case EINTR: continue
            case ERANGE where room < 1 << 20: room *= 4
            default: throw HostError.system(.account, name, status)
            }
        }
    }
}
