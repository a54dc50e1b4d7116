// Facts about processes.

/// A process, as far as this user can see it.
package struct SeenProcess: Sendable, Equatable {
    package let id: Int32
    /// The name in the kernel, which the process can change and which is cut after 15 bytes.
    package let name: String
    /// The executable; empty where this user cannot see it.
    package let program: String
    /// The first word of the command line; empty where there is none.
    package let command: String
    /// The build id of the executable; empty where it has none or cannot be read.
    package let build: String

    package init(id: Int32, name: String, program: String = "", command: String = "", build: String = "") {
        (self.id, self.name, self.program, self.command, self.build) = (id, name, program, command, build)
    }
}

/// The processes of the machine.
package struct SeenProcesses: Sendable {
    package let processes: [SeenProcess]
    /// Why further processes may be hidden; nil where all are visible.
    package let hidden: String?

    package init(_ processes: [SeenProcess], hidden: String? = nil) {
        (self.processes, self.hidden) = (processes, hidden)
    }
}

/// A memory mapping of this process.
package struct SeenMapping: Sendable, Hashable {
    /// The mapped file; empty for none.
    package let path: String
    package let isWritable: Bool
    package let isExecutable: Bool
    /// Whether the file was moved or deleted.
    package let isDeleted: Bool

    package init(path: String, isWritable: Bool, isExecutable: Bool, isDeleted: Bool) {
        (self.path, self.isWritable, self.isExecutable) = (path, isWritable, isExecutable)
        self.isDeleted = isDeleted
    }
}

/// The location of a function in this process.
package struct SeenFunction: Sendable, Equatable {
    /// The library that contains it; empty for memory without a file.
    package let library: String
    /// Whether its first bytes are those in the file.
    package let isUntouched: Bool

    package init(library: String, isUntouched: Bool) {
        (self.library, self.isUntouched) = (library, isUntouched)
    }
}

/// The privileges of this process.
package struct SeenRights: Sendable, Equatable {
    package let user: UInt32
    package let effectiveUser: UInt32
    /// The capabilities, such as `CAP_NET_ADMIN`.
    package let capabilities: [String]

    package init(user: UInt32, effectiveUser: UInt32, capabilities: [String]) {
        (self.user, self.effectiveUser, self.capabilities) = (user, effectiveUser, capabilities)
    }
}

/// The executable of this process.
package struct SeenProgram: Sendable, Equatable {
    package let path: String
    /// Whether the file was moved, deleted or replaced.
    package let isReplaced: Bool

    package init(path: String, isReplaced: Bool) {
        (self.path, self.isReplaced) = (path, isReplaced)
    }
}

/// Whether a crash can produce a core dump.
package struct SeenCoreDumps: Sendable, Equatable {
    /// The size limit of a core dump.
    package let limit: UInt64
    /// Whether the kernel marks the process as dumpable.
    package let isDumpable: Bool

    package init(limit: UInt64, isDumpable: Bool) {
        (self.limit, self.isDumpable) = (limit, isDumpable)
    }
}

/// The clocks of this process, in milliseconds since 1970.
package struct SeenClock: Sendable, Equatable {
    /// The time of the C library, or of its replacement.
    package let library: Int64
    /// The time of the kernel.
    package let kernel: Int64
    /// Whether the kernel clock is synchronized by a time server; nil where unknown.
    package let isSynchronized: Bool?

    package init(library: Int64, kernel: Int64, isSynchronized: Bool?) {
        (self.library, self.kernel, self.isSynchronized) = (library, kernel, isSynchronized)
    }
}
