import WireConfig

/// The app's store: CW24.
extension Code {
    static let namespaceSize = Code(
        "CW2401",
        "namespace-size",
        .error,
        """
        Three limits apply: to a single value, to a namespace, and to all namespaces together. Each must be at least \
        as large as the one before it, which otherwise never has an effect.
        """
    )
    static let noNamespaces = Code(
        "CW2402",
        "no-namespaces",
        .warning,
        """
        With 'onlyDeclared: true' apps may use only listed namespaces, and none is listed. Every write is rejected.
        """
    )
    static let storeKey = Code(
        "CW2403",
        "store-key",
        .error,
        """
        The store is encrypted with AES-256-GCM, so its key has 32 bytes, in base64: 'openssl rand -base64 32' \
        generates one. To change it, set the new one as 'key' and the former one as 'previousKey' until every \
        process of the group has restarted once and the event 'state.resealed' has reported that nothing is left.
        """
    )

    static let namespaceCount = Code(
        "CW2404",
        "namespace-count",
        .error,
        """
        'maxNamespaces' limits the namespaces of an environment, 'maxNamespacesTogether' those of all environments. \
        If the first is larger than the second, it never has an effect. Set both.
        """
    )

    static let sharedStore = Code(
        "CW2405",
        "shared-store",
        .error,
        """
        Runners that share a database recognize each other by 'app.group', and read what the others have sealed with \
        the same 'persistence.key': both are required, the same for all. Generate the key once with \
        'openssl rand -base64 32' and give it to each machine as a credential.
        """
    )

    static let unfitDatabase = Code(
        "CW2406",
        "unfit-database",
        .error,
        in: .servers,
        """
        The database of 'persistence.store' does not fit the file, so that a runner would not start: the server is \
        older than PostgreSQL 13, a pooler gives connections no sessions of their own, the tables and functions are \
        missing and the runner may not make them, its user may not call the functions, the group has another key, or \
        'confirm: replica' is set and the server has no synchronous standby. 'corewire store migrate --as OWNER' makes \
        the tables and functions, and lets the user of the file call them.
        """
    )
    static let missingSchema = Code(
        "CW2407",
        "missing-schema",
        .note,
        in: .servers,
        """
        The database has no tables and functions of corewire yet. With 'migrate: automatic' the first runner makes \
        them; 'corewire store migrate' makes them now.
        """
    )
    static let databaseRights = Code(
        "CW2408",
        "database-rights",
        .warning,
        in: .servers,
        """
        With 'migrate: never' the user of the runners needs to call functions only, and this one may also read or \
        change tables. Use two users: the owner of the tables, whom 'corewire store migrate --as OWNER' uses, and one \
        for the runners.
        """
    )
    static let longTransaction = Code(
        "CW2409",
        "long-transaction",
        .warning,
        in: .servers,
        """
        A transaction in the server of the database has been open for more than 10 minutes. PostgreSQL keeps each row \
        that the transaction could still read, so that runners read more and more of them to claim a request. See \
        pg_stat_activity for the client of the transaction, and end it.
        """
    )
    static let deadRows = Code(
        "CW2410",
        "dead-rows",
        .warning,
        in: .servers,
        """
        A table of the database has more dead rows than others, and more than 10,000: PostgreSQL does not remove them, \
        so that runners read more and more of them. Either autovacuum does not run, or something \
        can still read the rows: a long transaction, a prepared one, or a replication slot that is not used. Look at \
        pg_stat_activity, pg_prepared_xacts and pg_replication_slots.
        """
    )

    static let persistenceCodes: [Code] = [
        namespaceSize, noNamespaces, storeKey, namespaceCount, sharedStore, unfitDatabase, missingSchema,
        databaseRights, longTransaction, deadRows,
    ]
}
