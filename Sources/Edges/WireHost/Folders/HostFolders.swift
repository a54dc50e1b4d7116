import Glibc
import WireBase

/// The folders of a program on this host.
///
/// The service manager's setting (`STATE_DIRECTORY`) precedes the user's (`XDG_STATE_HOME`), which precedes the
/// default. A relative path in an XDG variable is ignored, as the XDG Base Directory Specification demands.
package struct HostFolders: Sendable, Equatable {
    /// The folder for durable data.
    package let state: HostFolder
    /// The folder for sockets and locks, which ends with the login session.
    package let runtime: HostFolder

    /// Finds the folders of an app: the state is shared by the group, the runtime folder belongs to the app.
    ///
    /// A named instance has folders of its own, so that an app can have several runners on a machine.
    package init(_ environment: Environment, group: String, app: String, user: UInt32 = geteuid()) throws(HostError) {
        let instance = try environment.instance.map { "@\($0)" } ?? ""
        let (group, app) = (group + instance, app + instance)
        func folder(_ name: String, _ xdg: String, _ usual: String?, _ last: String) throws(HostError) -> HostFolder {
            if let given = environment["\(name)_DIRECTORY"]?.split(separator: ":").first, given.hasPrefix("/") {
                return try HostFolder(String(given), [last])
            }
            if let base = environment[xdg], base.hasPrefix("/") { return try HostFolder(base, ["corewire", last]) }
            if let usual { return try HostFolder(usual, ["corewire", last]) }
            throw HostError(.folder, xdg, "not an absolute path; set it, HOME or \(name)_DIRECTORY")
        }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        state = try folder("STATE", "XDG_STATE_HOME", home.map { "\($0)/.local/state" }, group)
        if environment["RUNTIME_DIRECTORY"] == nil, environment["XDG_RUNTIME_DIR"]?.hasPrefix("/") != true, user != 0 {
            // All users may write to /tmp, so the folder's name has the user's number and its owner is checked.
            runtime = try HostFolder("/tmp", ["corewire-\(user)", app])
        } else {
            runtime = try folder("RUNTIME", "XDG_RUNTIME_DIR", "/run", app)
        }
    }
}

extension Environment {
    /// The variable with the name of the runner among several of an app on this machine.
    package static let instanceVariable = "COREWIRE_INSTANCE"

    /// The name of the runner among several of an app on this machine; nil where it has none.
    package var instance: String? {
        get throws(HostError) {
            guard let name = self[Self.instanceVariable] else { return nil }
            let isName = name.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_".utf8.contains($0) }
            guard isName, name.utf8.count <= 32 else {
                throw HostError(
                    .folder,
                    Self.instanceVariable,
                    "found \(name.quoted), expected up to 32 letters, digits, '-' and '_'"
                )
            }
            return name
        }
    }
}
