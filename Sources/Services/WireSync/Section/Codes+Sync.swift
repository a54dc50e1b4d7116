package import WireConfig

/// Data by GraphQL: CW14.
extension Code {
    static let syncNeedsTokens = Code(
        "CW1403",
        "sync-needs-tokens",
        .error,
        """
        Requests carry a token unless the section says 'authenticated: false', and a WebSocket is opened with a fresh one. \
        Tokens come from the section 'auth'.
        """
    )
    static let headerOfCorewire = Code(
        "CW1404",
        "header-not-yours",
        .error,
        """
        Some headers say what the request itself decides: its length, its type, its connection, the token it carries. A \
        second value would make servers reject the request, or worse, accept it. A header is given once, in 'headers' or in \
        'secretHeaders'.
        """
    )
    static let waitsTurnedRound = Code(
        "CW1405",
        "sync-waits-turned-round",
        .error,
        """
        The waits between attempts begin with 'min' and double up to 'max'; 'max' cannot be the smaller one. The defaults are \
        1s and 1m.
        """
    )
    static let unusedCacheRule = Code(
        "CW1406",
        "unused-cache-rule",
        .warning,
        """
        With policy 'noCache' no answer is kept unless a single query asks for it, so its age and size are never looked at. \
        'networkOnly' asks the server each time too, and keeps the answer for watchers.
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
        The file of 'sync.schema' holds the server's schema, as SDL or as the JSON answer to an introspection query. Without \
        a valid schema no operation can be checked. 'corewire sync schema' writes the schema of a running server.
        """
    )
    package static let invalidOperation = Code(
        "CW1410",
        "graphql-operation",
        .error,
        in: .machine,
        """
        A file of 'sync.operations' breaks a rule of the GraphQL specification, or names what the schema does not have. The \
        server would reject the operation.
        """
    )
    package static let unusedFragment = Code(
        "CW1411",
        "unused-fragment",
        .warning,
        in: .machine,
        """
        No operation of the files uses the fragment. Delete it, or allow the warning where the file is shared with programs \
        that do use it.
        """
    )

    package static let operationUse = Code(
        "CW1412",
        "operation-use",
        .error,
        in: .machine,
        """
        'subscriptions', 'delta' and 'mutations.*.adds' name operations of the files of 'sync.operations'. The operation must \
        be there, be of the right kind, and get the variables it requires; a query in 'adds' must have a list of the type \
        that is added. A runner does not start otherwise. The 'notification' of a subscription goes to the handlers of the \
        section 'notifications'; without that section the runner starts, and the notification is not shown.
        """
    )
    static let noOperationFiles = Code(
        "CW1413",
        "no-operation-files",
        .error,
        """
        'subscriptions', 'delta' and 'mutations.*.adds' name operations by their names in the files of 'operations'. Without \
        such files there is nothing to run.
        """
    )

    static let noGraphQLServer = Code(
        "CW1420",
        "no-graphql-server",
        .error,
        in: .servers,
        """
        The address of 'sync.url' was asked for its schema, and what came is no GraphQL response: a page, an error of a \
        proxy, a path that does not exist. Most often the path is not that of the GraphQL endpoint.
        """
    )
    static let schemaNotGiven = Code(
        "CW1421",
        "schema-not-given",
        .note,
        in: .servers,
        """
        The server does not give its schema to a caller without a token, or has introspection switched off. The operations \
        are not compared with it. 'corewire sync schema' asks through a running runner, with the token of its user.
        """
    )
    static let rejectedOperation = Code(
        "CW1422",
        "operation-rejected",
        .error,
        in: .servers,
        """
        A declared operation does not fit the schema that the server has now: a field, an argument or a type is missing \
        there, or has another type. The server rejects the operation.
        """
    )
    static let outdatedSchema = Code(
        "CW1423",
        "schema-outdated",
        .warning,
        in: .servers,
        """
        The schema of the server has breaking changes against the file of 'sync.schema'. Operations that fit the file may \
        be rejected by the server. 'corewire sync schema' writes the schema that the server has now.
        """
    )

    static let syncCodes: [Code] = [
        syncNeedsTokens, headerOfCorewire, waitsTurnedRound, unusedCacheRule,
        openSecretHeader, noDeclaredOperations, invalidSchema, invalidOperation, unusedFragment,
        operationUse, noOperationFiles,
        noGraphQLServer, schemaNotGiven, rejectedOperation, outdatedSchema,
    ]
}
