import WireConfig

/// Tasks: CW152.
extension Code {
    static let taskAction = Code(
        "CW1521",
        "task-action",
        .error,
        """
        A task does one thing: it runs a program ('exec'), sends a request ('request'), tries what waits in the outbox ('drain: \
        true'), or is done by Swift code ('code: true'). Of two things one could fail and the other not, and nobody could say \
        whether the task was done; they are two tasks, which a 'group' keeps from running beside each other.
        """
    )
    static let longFlex = Code(
        "CW1522",
        "long-flex",
        .error,
        """
        'flex' is the end of each period in which a task may begin early. As long as the period itself, it would let a task \
        begin again as soon as it has ended.
        """
    )
    static let unusedTaskKey = Code(
        "CW1523",
        "unused-task-key",
        .warning,
        """
        Without 'every' a task is done when somebody asks for it, so 'flex' and 'atStart' say nothing. A request that only \
        asks or removes carries no body.
        """
    )
    static let shortPeriod = Code(
        "CW1524",
        "short-period",
        .warning,
        """
        Android's WorkManager runs no periodic work more often than every 15 minutes, with a flex of at least 5 minutes; iOS \
        decides by itself, and seldom. What relies on shorter periods works on this machine and nowhere else, and keeps the \
        machine from resting.
        """
    )
    static let dottedTask = Code(
        "CW1525",
        "dotted-task",
        .error,
        """
        Tasks of services have names that begin with the service and a '.', such as 'content.news'. A task of the file with \
        such a name could take the place of one of these.
        """
    )
    static let taskTemplate = Code(
        "CW1526",
        "task-template",
        .error,
        """
        A program that handles a notification is given what the notification says by '{{ name }}'. Nothing arrives that a task \
        could put in: its arguments are what the file says. The variables COREWIRE_TASK and COREWIRE_ENV tell the program \
        which task it is and in which environment.
        """
    )

    static let taskCodes: [Code] = [taskAction, longFlex, unusedTaskKey, shortPeriod, dottedTask, taskTemplate]
}
