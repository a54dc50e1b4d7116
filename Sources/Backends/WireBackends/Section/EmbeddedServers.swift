package import WireBase
package import WireConfig

/// The push servers: they take registrations of every kind of registrar, and send notifications to those registered.
package struct EmbeddedPush: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var delivers: Bool
    @Setting package var keep: Int
    @Setting package var masterSecret: Secret<String>?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "An address of its own, instead of the common one.",
            .example("127.0.0.1:7432")
        )
        _delivers = keys.value("deliver", "Whether what is sent there comes back to the runner as a push.", or: true)
        _keep = keys.value("keep", "How many notifications are kept for whoever is away.", or: 1_000, .in(1...100_000))
        _masterSecret = keys.optional(
            "masterSecret",
            "What whoever sends to them shows; made up and kept without it, and then 'corewire' alone can send.",
            .example("\"${env:PUSH_MASTER_SECRET}\"")
        )
    }
}

/// The GraphQL server: it keeps the objects of the models in its schema, or answers operations from a file.
package struct EmbeddedGraphQL: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var schema: InputFile?
    @Setting package var data: InputFile?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "An address of its own, instead of the common one.",
            .example("127.0.0.1:7433")
        )
        _schema = keys.optional(
            "schema",
            """
            Schema of the server at /graphql, in SDL. Types marked with @model get queries, mutations and subscriptions. \
            Requests without a token are answered; a token must be one of the built-in identity server. Without a schema \
            there is no such server.
            """,
            .example("graphql/schema.graphql")
        )
        _data = keys.optional(
            "data",
            """
            YAML or JSON file with the objects of each model; for a schema without models, the answers of operations by \
            name. Default: nothing.
            """,
            .example("graphql/data.yaml")
        )
    }
}

/// The content server: HALO's modules with their instances, from files, and the devices that register.
package struct EmbeddedContent: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var directory: InputFolder?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "An address of its own, instead of the common one.",
            .example("127.0.0.1:7434")
        )
        _directory = keys.optional(
            "directory",
            "The folder with the modules: a YAML or JSON file for each, named for it, with its fields and instances.",
            .example("content")
        )
    }
}

/// The file server: the files of a folder, and made-up ones of any size.
package struct EmbeddedFiles: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var directory: InputFolder?

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "An address of its own, instead of the common one.",
            .example("127.0.0.1:7436")
        )
        _directory = keys.optional(
            "directory",
            "The folder with the files; those below /files/generated are made up without one.",
            .example("files")
        )
    }
}

/// The server of metrics and of switched-off versions.
package struct EmbeddedSecurity: Record {
    @Setting package var listen: ListenAddress?
    @Setting package var versions: Named<EmbeddedVersion>

    package init(_ keys: inout Keys) {
        _listen = keys.optional(
            "listen",
            "An address of its own, instead of the common one.",
            .example("127.0.0.1:7435")
        )
        _versions = keys.value(
            "versions",
            "What is known about versions of the app; those not listed may run.",
            or: Named(),
            .example("{ 1.3.0: { disabled: true, message: Please update. } }")
        )
    }
}

/// A version of the app, as the security service knows it.
package struct EmbeddedVersion: Record {
    @Setting package var isDisabled: Bool
    @Setting package var message: String

    package init(_ keys: inout Keys) {
        _isDisabled = keys.value("disabled", "Whether it was switched off.", or: false)
        _message = keys.value("message", "What people are told then.", or: "", .example("Please update."))
    }
}
