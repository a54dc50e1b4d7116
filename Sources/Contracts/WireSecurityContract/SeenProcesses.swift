// What can be seen of processes.

/// A process, as far as this user may see it.
package struct SeenProcess: Sendable, Equatable {
    package let id: Int32
    /// The name the kernel shows, which the process may change and which is cut after 15 bytes.
    package let name: String
    /// The program it was started from; empty where this user may not see it.
    package let program: String
    /// The first word of its command line; empty where it has none.
    package let command: String
    /// What the linker has stamped the program with (its build-id); empty where it has none, or it may not be seen.
    package let build: String

    package init(id: Int32, name: String, program: String = "", command: String = "", build: String = "") {
        (self.id, self.name, self.program, self.command, self.build) = (id, name, program, command, build)
    }
}

/// The processes of this machine.
package struct SeenProcesses: Sendable {
    package let processes: [SeenProcess]
    /// Why there may be more of them; nil where all can be seen.
    package let hidden: String?

    package init(_ processes: [SeenProcess], hidden: String? = nil) {
        (self.processes, self.hidden) = (processes, hidden)
    }
}

/// A piece of memory of this process.
package struct SeenMapping: Sendable, Hashable {
    /// The file it comes from; empty for none.
    package let path: String
    package let isWritable: Bool
    package let isExecutable: Bool
    /// Whether the file is no longer where it was.
    package let isDeleted: Bool

    package init(path: String, isWritable: Bool, isExecutable: Bool, isDeleted: Bool) {
        (self.path, self.isWritable, self.isExecutable) = (path, isWritable, isExecutable)
        self.isDeleted = isDeleted
    }
}

/// Where a function of this process lies.
package struct SeenFunction: Sendable, Equatable {
    /// The library whose memory it lies in; empty for memory that belongs to no file.
    package let library: String
    /// Whether it begins as the file has it.
    package let isUntouched: Bool

    package init(library: String, isUntouched: Bool) {
        (self.library, self.isUntouched) = (library, isUntouched)
    }
}

/// The rights of this process.
package struct SeenRights: Sendable, Equatable {
    package let user: UInt32
    package let effectiveUser: UInt32
    /// `CAP_NET_ADMIN` and its like.
    package let capabilities: [String]

    package init(user: UInt32, effectiveUser: UInt32, capabilities: [String]) {
        (self.user, self.effectiveUser, self.capabilities) = (user, effectiveUser, capabilities)
    }
}

/// The program this process runs.
package struct SeenProgram: Sendable, Equatable {
    package let path: String
    /// Whether the file is no longer where it was, or another is there now.
    package let isReplaced: Bool

    package init(path: String, isReplaced: Bool) {
        (self.path, self.isReplaced) = (path, isReplaced)
    }
}

/// What becomes of the memory of this process when it crashes.
package struct SeenCoreDumps: Sendable, Equatable {
    /// How much of it may be written.
    package let limit: UInt64
    /// Whether the kernel takes it for one whose memory may be seen.
    package let isDumpable: Bool

    package init(limit: UInt64, isDumpable: Bool) {
        (self.limit, self.isDumpable) = (limit, isDumpable)
    }
}

/// The clock of this process, in milliseconds since 1970.
package struct SeenClock: Sendable, Equatable {
    /// What the C library says, and whoever stands in its place.
    package let library: Int64
    /// What the kernel says.
    package let kernel: Int64
    /// Whether the kernel holds it for set by a time server; nil where it does not say.
    package let isSynchronized: Bool?

    package init(library: Int64, kernel: Int64, isSynchronized: Bool?) {
        (self.library, self.kernel, self.isSynchronized) = (library, kernel, isSynchronized)
    }
}
