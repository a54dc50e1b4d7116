import Glibc

/// Where a program keeps its files on this host.
///
/// The service manager's word goes first (`STATE_DIRECTORY`), then the user's (`XDG_STATE_HOME`), then custom. A relative
/// path in an XDG variable is ignored, as the XDG Base Directory Specification wants it.
package struct HostFolders: Sendable, Equatable {
    /// What must outlive everything.
    package let state: HostFolder
    /// Sockets and locks, gone with the session.
    package let runtime: HostFolder

    /// The folders of one app of a group: the state is the group's, the runtime folder is the app's.
    package init(_ environment: Environment, group: String, app: String, user: UInt32 = geteuid()) throws(HostError) {
        func folder(_ name: String, _ xdg: String, _ usual: String?, _ last: String) throws(HostError) -> HostFolder {
            if let given = environment["\(name)_DIRECTORY"]?.split(separator: ":").first, given.hasPrefix("/") {
                return try HostFolder(String(given), [last])
            }
            if let base = environment[xdg], base.hasPrefix("/") { return try HostFolder(base, ["corewire", last]) }
            if let usual { return try HostFolder(usual, ["corewire", last]) }
            throw HostError(.folder, xdg, "neither it nor HOME nor \(name)_DIRECTORY names an absolute path")
        }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        state = try folder("STATE", "XDG_STATE_HOME", home.map { "\($0)/.local/state" }, group)
        if environment["RUNTIME_DIRECTORY"] == nil, environment["XDG_RUNTIME_DIR"]?.hasPrefix("/") != true, user != 0 {
            // Everybody may write to /tmp, so the folder has the user's number and is taken from nobody else.
            runtime = try HostFolder("/tmp", ["corewire-\(user)", app])
        } else {
            runtime = try folder("RUNTIME", "XDG_RUNTIME_DIR", "/run", app)
        }
    }
}
