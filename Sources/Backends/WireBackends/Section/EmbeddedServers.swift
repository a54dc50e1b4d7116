package import WireBase
package import WireConfig

/// The push servers: they accept registrations of every kind of registrar, and send notifications to them.
package struct EmbeddedPush: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var delivers: Bool
    @Setting package var keep: Int
    @Setting package var masterSecret: Secret<String>?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "Address of this server, instead of the shared one.",
            .example("127.0.0.1:7432")
        )
        _delivers = keys.value("deliver", "Whether messages sent there reach this runner as pushes.", or: true)
        _keep = keys.value("keep", "Maximum number of queued notifications.", or: 1_000, .in(1...100_000))
        _masterSecret = keys.optional(
            "masterSecret",
            "Master secret of senders. Default: generated and stored; then only 'corewire' can send.",
            .example("\"${env:PUSH_MASTER_SECRET}\"")
        )
    }
}

/// The GraphQL server: it stores the objects of its schema's models, or responds to operations from a file.
package struct EmbeddedGraphQL: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var schema: InputFile?
    @Setting package var data: InputFile?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "Address of this server, instead of the shared one.",
            .example("127.0.0.1:7433")
        )
        _schema = keys.optional(
            "schema",
            """
            Schema of the server at /graphql, in SDL. Types marked with @model get queries, mutations and subscriptions. \
            Requests without a token are answered; a token must be from the embedded identity server. Without a schema \
            there is no GraphQL server.
            """,
            .example("graphql/schema.graphql")
        )
        _data = keys.optional(
            "data",
            """
            YAML or JSON file with the objects of each model; for a schema without models, the results of operations by \
            name. Default: no data.
            """,
            .example("graphql/data.yaml")
        )
    }
}

/// The content server: HALO's modules with their instances, from files, and registered devices.
package struct EmbeddedContent: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var directory: InputFolder?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "Address of this server, instead of the shared one.",
            .example("127.0.0.1:7434")
        )
        _directory = keys.optional(
            "directory",
            "Folder with a YAML or JSON file for each module, with its fields and instances.",
            .example("content")
        )
    }
}

/// The file server: the files of a folder, and generated ones of any size.
package struct EmbeddedFiles: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var directory: InputFolder?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "Address of this server, instead of the shared one.",
            .example("127.0.0.1:7436")
        )
        _directory = keys.optional(
            "directory",
            "Folder with the files. Files below /files/generated need no folder.",
            .example("files")
        )
    }
}

/// The MQTT broker.
package struct EmbeddedMQTT: Record {
    @Setting package var listen: ListenAddress

    package init(_ keys: inout Keys) {
        _listen = keys.value(
            "listen",
            "TCP address of the broker; as a WebSocket it is at the shared address, below /mqtt. Port 0: chosen by the "
                + "system.",
            or: ListenAddress(known: "127.0.0.1:0"),
            .example("127.0.0.1:1883")
        )
    }
}

/// The server for metrics and disabled app versions.
package struct EmbeddedSecurity: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var versions: Named<EmbeddedVersion>

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "Address of this server, instead of the shared one.",
            .example("127.0.0.1:7435")
        )
        _versions = keys.value(
            "versions",
            "Versions of the app; those not listed may run.",
            or: Named(),
            .example("{ 1.3.0: { disabled: true, message: Please update. } }")
        )
    }
}

/// A version of the app for the security service.
package struct EmbeddedVersion: Record {
    @Setting package var isDisabled: Bool
    @Setting package var message: String

    package init(_ keys: inout Keys) {
        _isDisabled = keys.value("disabled", "Whether the version is disabled.", or: false)
        _message = keys.value("message", "Message to users of a disabled version.", or: "", .example("Please update."))
    }
}
