import WireConfig

/// Tasks: CW152.
extension Code {
    static let taskAction = Code(
        "CW1521",
        "task-action",
        .error,
        """
        A task has one action: it runs a program ('exec'), sends a request ('request'), retries the outbox ('drain: \
        true'), or runs Swift code ('code: true'). With two actions, one could fail and the other succeed: the result \
        would be unclear. Declare two tasks, in one 'group' if they must not run at the same time.
        """
    )
    static let longFlex = Code(
        "CW1522",
        "long-flex",
        .error,
        """
        'flex' is the time at the end of each period in which a task may run early. If it is as long as the period, \
        the task could run again as soon as it has ended.
        """
    )
    static let unusedTaskKey = Code(
        "CW1523",
        "unused-task-key",
        .warning,
        """
        Without 'every' a task runs on request, so 'flex' and 'atStart' have no effect. A GET or DELETE \
        request has no body.
        """
    )
    static let shortPeriod = Code(
        "CW1524",
        "short-period",
        .warning,
        """
        Android's WorkManager runs no periodic work more often than every 15 minutes, with a flex of at least 5 minutes; iOS \
        chooses longer periods itself. Shorter periods work only on this machine, and keep the \
        machine awake.
        """
    )
    static let dottedTask = Code(
        "CW1525",
        "dotted-task",
        .error,
        """
        Tasks of services have names that begin with the service and a '.', such as 'content.news'. A task of the file \
        with such a name could replace a task of a service.
        """
    )
    static let taskTemplate = Code(
        "CW1526",
        "task-template",
        .error,
        """
        '{{ name }}' inserts a value of a notification, and a task has no notification: its arguments are constant. \
        The program gets the task and the environment in the variables COREWIRE_TASK and COREWIRE_ENV.
        """
    )

    static let taskCodes: [Code] = [taskAction, longFlex, unusedTaskKey, shortPeriod, dottedTask, taskTemplate]
}
