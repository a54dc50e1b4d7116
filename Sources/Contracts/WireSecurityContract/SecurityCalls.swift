package import WireBase
import WireConfig
package import WireHTTP
import WireService

/// The operations on security rules, each declared once.
package enum SecurityCalls {
    package static let report = APICall<NoInput, SecurityReport, NoFailureKind>(
        .get,
        "/v1/security",
        "What was looked for on this machine, and what was found.",
        access: .read,
        answers: [.init(.ok, "The report.")],
        fails: []
    )

    package static let check = APICall<NoInput, SecurityReport, NoFailureKind>(
        .post,
        "/v1/security/checks",
        "Apply all rules now.",
        access: .write,
        answers: [.init(.ok, "The report, when all were applied.")],
        fails: []
    )
}

/// A security rule and its result; times in milliseconds since 1970.
package struct SecurityRuleReport: JSONRecord {
    package let id: String
    package var title = "", condition = "", reads = ""
    package let result: SecurityOutcome
    package let action: SecurityAction
    package let severity: SecuritySeverity
    package var controls: [String] = [], evidence: [String] = [], allowed: [String] = [], doubts: [String] = []
    package var isNamed = false
    package var every = 0
    package var checked: Int64 = 0, since: Int64 = 0
    package var origin: ValueOrigin?

    package init(_ id: String, _ result: SecurityOutcome, _ action: SecurityAction, _ severity: SecuritySeverity) {
        (self.id, self.result, self.action, self.severity) = (id, result, action, severity)
    }

    package static let form = JSONForm<Self>("SecurityRule", "A security rule and what it came to.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "Its name in the services file.", .example("filePermissions"))
        title = try members.required("title", \.title, "What it is called.", .example("File permissions"))
        condition = try members.required(
            "condition",
            \.condition,
            "What is the case when it is detected; always the bad thing.",
            .example("others may read files of the app")
        )
        result = try members.required("result", \.result, "Whether that is the case.")
        action = try members.required("action", \.action, "What happens when it is detected.")
        severity = try members.required("severity", \.severity, "How bad it is.")
        controls = try members.required(
            "controls",
            \.controls,
            "The controls of OWASP MASVS it counts for.",
            .example(["MASVS-STORAGE-1"])
        )
        evidence = try members.required("evidence", \.evidence, "What was found.", .example([]))
        allowed = try members.required("allowed", \.allowed, "What was found and is welcome.", .example([]))
        doubts = try members.required("doubts", \.doubts, "What could not be seen.", .example([]))
        reads = try members.required("reads", \.reads, "What it looks at.", .example("the folders of the app"))
        isNamed = try members.required(
            "named",
            \.isNamed,
            "Whether the file names it; otherwise it is one of the usual ones."
        )
        every = try members.required("every", \.every, "How many seconds lie between two looks.")
        checked = try members.required("checked", \.checked, "When it was applied last.", .moment)
        since = try members.required("since", \.since, "Since when it comes to the same.", .moment)
        origin = try members.optional("config", \.origin, "The value of the services file that asks for it.")
    }
}

/// A control of OWASP MASVS, with the rules that count for it.
package struct SecurityControlReport: JSONRecord {
    package let id, statement: String
    package let rules: [String]
    package let result: SecurityOutcome?
    package let remark: String

    package init(_ id: String, _ statement: String, rules: [String], _ result: SecurityOutcome?, remark: String) {
        (self.id, self.statement, self.rules, self.result, self.remark) = (id, statement, rules, result, remark)
    }

    package static let form = JSONForm<Self>("SecurityControl", "A control of OWASP MASVS 2.1.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "Its name.", .example("MASVS-STORAGE-1"))
        statement = try members.required(
            "statement",
            \.statement,
            "What it asks for.",
            .example("The app securely stores sensitive data.")
        )
        rules = try members.required(
            "rules",
            \.rules,
            "The rules that are applied and count for it.",
            .example(["filePermissions"])
        )
        result = try members.optional("result", \.result, "The gravest of their results; absent where none is applied.")
        remark = try members.required(
            "remark",
            \.remark,
            "What stands for it besides, or why no rule does.",
            .example("")
        )
    }
}

/// The results of all rules, and what follows from them.
package struct SecurityReport: JSONRecord {
    package let result: SecurityOutcome
    package let withheld: Fault?
    package let rules: [SecurityRuleReport]
    package let controls: [SecurityControlReport]

    package init(
        _ result: SecurityOutcome,
        withheld: Fault?,
        _ rules: [SecurityRuleReport],
        _ controls: [SecurityControlReport]
    ) {
        (self.result, self.withheld, self.rules, self.controls) = (result, withheld, rules, controls)
    }

    package static let form = JSONForm<Self>(
        "SecurityReport",
        "What was looked for on this machine, and what was found."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        result = try members.required("result", \.result, "The gravest of all results.")
        withheld = try members.optional(
            "withheld",
            \.withheld,
            "Why nothing of the user's is handed out; absent while it is."
        )
        rules = try members.required("rules", \.rules, "The rules that are applied.")
        controls = try members.required(
            "controls",
            \.controls,
            "The controls of OWASP MASVS 2.1, with the rules that count for them."
        )
    }
}
