package import WireConfig

/// Data by GraphQL: CW14.
extension Code {
    static let syncNeedsTokens = Code(
        "CW1403",
        "sync-needs-tokens",
        .error,
        """
        Requests to the GraphQL server carry a token unless the section sets 'authenticated: false'. The section \
        'auth' provides the tokens.
        """
    )
    static let headerOfCorewire = Code(
        "CW1404",
        "header-not-yours",
        .error,
        """
        The service sets some headers itself: length, media type, connection and token. A second value could make the \
        server reject or misread the request. Set a header once, in 'headers' or in 'secretHeaders'.
        """
    )
    static let waitsTurnedRound = Code(
        "CW1405",
        "sync-waits-turned-round",
        .error,
        """
        The pause between attempts starts at 'min' and doubles up to 'max', so 'max' cannot be smaller than 'min'. The \
        defaults are 1s and 1m.
        """
    )
    static let unusedCacheRule = Code(
        "CW1406",
        "unused-cache-rule",
        .warning,
        """
        With the policy 'noCache' no result is cached unless a query sets another policy, so 'maxAge' and 'maxSize' \
        have no effect. The policy 'networkOnly' also sends each query to the server, and caches the result for \
        watches.
        """
    )
    static let openSecretHeader = Code(
        "CW1407",
        "secret-in-headers",
        .warning,
        """
        Values under 'headers' are plain text: 'explain', 'env show' and the local API show them. Write credentials \
        such as API keys, tokens and cookies under 'secretHeaders', whose values are never shown, preferably as a \
        reference: 'x-api-key: ${env:API_KEY}'. If the value is public, suppress the warning with the reason.
        """
    )

    static let noDeclaredOperations = Code(
        "CW1408",
        "no-declared-operations",
        .error,
        """
        With 'only: declared' the service runs the operations of the files that 'operations' names and rejects every other \
        document. Without such files it would reject everything.
        """
    )
    package static let invalidSchema = Code(
        "CW1409",
        "graphql-schema",
        .error,
        in: .machine,
        """
        The file of 'sync.schema' holds the server's schema, as SDL or as the JSON response to an introspection query. \
        Without a valid schema no operation can be checked. Run 'corewire sync schema' to write the schema of a \
        running server.
        """
    )
    package static let invalidOperation = Code(
        "CW1410",
        "graphql-operation",
        .error,
        in: .machine,
        """
        An operation in a file of 'sync.operations' is invalid by the GraphQL specification, or names a type, field or \
        argument that the schema does not have. The server would reject the operation.
        """
    )
    package static let unusedFragment = Code(
        "CW1411",
        "unused-fragment",
        .warning,
        in: .machine,
        """
        No operation of the files uses the fragment. Delete the fragment, or suppress the warning if other programs \
        use the file.
        """
    )

    package static let operationUse = Code(
        "CW1412",
        "operation-use",
        .error,
        in: .machine,
        """
        'subscriptions', 'delta' and 'mutations.*.adds' name operations of the files of 'sync.operations'. The \
        operation must exist, have the right kind, and get its required variables; a query in 'adds' must have a list \
        of the added type. Otherwise the runner does not start. The 'notification' of a subscription goes to the \
        handlers of the section 'notifications'; without that section the runner starts, and the notification is not \
        shown.
        """
    )
    static let noOperationFiles = Code(
        "CW1413",
        "no-operation-files",
        .error,
        """
        'subscriptions', 'delta' and 'mutations.*.adds' name operations declared in the files of 'operations'. Set \
        'operations' to the files that declare them.
        """
    )

    static let noGraphQLServer = Code(
        "CW1420",
        "no-graphql-server",
        .error,
        in: .servers,
        """
        The server at 'sync.url' was queried for its schema, and the response is not a GraphQL response. Check that \
        the path of the URL is the GraphQL endpoint, and that no proxy responds in its place.
        """
    )
    static let schemaNotGiven = Code(
        "CW1421",
        "schema-not-given",
        .note,
        in: .servers,
        """
        The server does not return its schema without a token, or introspection is disabled. The operations were not \
        checked against the schema. Run 'corewire sync schema' to fetch the schema through a running runner, with the \
        token of its user.
        """
    )
    static let rejectedOperation = Code(
        "CW1422",
        "operation-rejected",
        .error,
        in: .servers,
        """
        A declared operation does not match the current schema of the server: a field, an argument or a type is \
        missing or has another type. The server will reject the operation.
        """
    )
    static let outdatedSchema = Code(
        "CW1423",
        "schema-outdated",
        .warning,
        in: .servers,
        """
        The schema of the server has breaking changes compared with the file of 'sync.schema'. The server may reject \
        operations that match the file. Run 'corewire sync schema' to write the current schema of the server.
        """
    )

    static let syncCodes: [Code] = [
        syncNeedsTokens, headerOfCorewire, waitsTurnedRound, unusedCacheRule,
        openSecretHeader, noDeclaredOperations, invalidSchema, invalidOperation, unusedFragment,
        operationUse, noOperationFiles,
        noGraphQLServer, schemaNotGiven, rejectedOperation, outdatedSchema,
    ]
}
