package import WireBase
package import WireConfig
package import WireService

/// A database that the runners of a group share.
package struct SharedStore: Record {
    @Setting package var url: DatabaseURL
    @Setting package var password: Secret<String>?
    @Setting package var authorities: InputFile?
    @Setting package var schema: SchemaName
    @Setting package var shares: [SharedData]
    @Setting package var confirm: Confirmation
    @Setting package var giveUpAfter: Duration
    @Setting package var connectTimeout: Duration
    @Setting package var migrate: Migration

    package init(_ keys: inout Keys) {
        _url = keys.required(
            "url",
            "Servers, database and user in PostgreSQL. Of several servers the one that accepts writes is used."
        )
        _password = keys.optional("password", "Password of the user.", .example("${credential:db-password}"))
        _authorities = keys.optional(
            "authorities",
            "File with the certificates of the authorities that the servers' certificates are checked against. Default: those of the system. Connections to other machines are always encrypted; to this one only with this file.",
            .example("/etc/tasks/db-ca.pem")
        )
        _schema = keys.value("schema", "Schema of the tables and functions in the database.", or: SchemaName.usual)
        _shares = keys.value(
            "shares",
            "What is in the database; everything else stays on this machine.",
            or: [.auth, .state]
        )
        _confirm = keys.value("confirm", "What has a write on its disk before it is confirmed.", or: .disk)
        _giveUpAfter = keys.value(
            "giveUpAfter",
            "How long a runner may be unreachable before the others take over its work.",
            or: .seconds(20),
            .in(.seconds(10) ... .seconds(300))
        )
        _connectTimeout = keys.value(
            "connectTimeout",
            "How long the start waits for the database.",
            or: .seconds(30),
            .in(.seconds(1) ... .seconds(600))
        )
        _migrate = keys.value("migrate", "Who makes the tables and functions.", or: .automatic)
    }
}

/// The name of a schema.
package struct SchemaName: Sendable, Hashable {
    package let text: String

    static let usual = SchemaName(text: "corewire")
}

extension SchemaName: TextValue {
    package static var textForm: TextForm {
        TextForm("the name of a schema", example: "corewire", pattern: "^[a-z_][a-z0-9_]{0,39}$")
    }

    package init(parsing text: String) throws(Misread) {
        let isPlain = text.utf8.allSatisfy { (0x61...0x7a).contains($0) || $0.isDigit || $0 == UInt8(ascii: "_") }
        guard isPlain, let first = text.utf8.first, !first.isDigit, text.utf8.count <= 40 else {
            throw Misread(help: "up to 40 characters of a-z, 0-9 and '_', not a digit first")
        }
        self.init(text: text)
    }

    package var description: String { text }
}

extension SharedData: Choice {
    package var help: String {
        switch self {
        case .auth: "the session: signed in at one runner, signed in at all"
        case .state: "the namespaces of the app, unless they have 'in: device'"
        case .outbox: "queued requests: each is sent once, in one order per lane"
        case .tasks: "tasks: each occurrence runs once in the group"
        case .notifications: "received notifications: each is handled once"
        }
    }
}

/// What has a write on its disk before it is confirmed.
package enum Confirmation: String, Choice {
    case disk, replica

    package var help: String {
        switch self {
        case .disk: "the server; a failover to a standby may lose the last writes"
        case .replica: "the server and a synchronous standby, without which the runner does not start"
        }
    }
}

/// Who makes the tables and functions of a database.
package enum Migration: String, Choice {
    case automatic, never

    package var help: String {
        switch self {
        case .automatic: "the first runner, where its user may"
        case .never: "only 'corewire store migrate'"
        }
    }
}

/// Where the entries of a namespace are.
package enum EntryPlace: String, Choice {
    case group, device

    package var help: String {
        switch self {
        case .group: "in the database of the group, where it shares 'state'"
        case .device: "on this machine"
        }
    }
}
