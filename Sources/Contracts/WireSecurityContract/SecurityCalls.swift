package import WireBase
import WireConfig
package import WireHTTP
import WireService

/// The operations on security rules.
package enum SecurityCalls {
    package static let report = APICall<NoInput, SecurityReport, NoFailureKind>(
        .get,
        "/v1/security",
        "Return the results of all security rules.",
        access: .read,
        answers: [.init(.ok, "The report.")],
        fails: []
    )

    package static let check = APICall<NoInput, SecurityReport, NoFailureKind>(
        .post,
        "/v1/security/checks",
        "Evaluate all rules now.",
        access: .write,
        answers: [.init(.ok, "The report after the evaluation.")],
        fails: []
    )
}

/// A security rule with its result; times in milliseconds since 1970.
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

    package static let form = JSONForm<Self>("SecurityRule", "A security rule with its result.")

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        id = try members.required("id", \.id, "The id in the services file.", .example("filePermissions"))
        title = try members.required("title", \.title, "The title.", .example("File permissions"))
        condition = try members.required(
            "condition",
            \.condition,
            "The undesired condition that the rule detects.",
            .example("others may read files of the app")
        )
        result = try members.required("result", \.result, "Whether the condition is detected.")
        action = try members.required("action", \.action, "The action on detection.")
        severity = try members.required("severity", \.severity, "The severity.")
        controls = try members.required(
            "controls",
            \.controls,
            "The controls of OWASP MASVS that the rule covers.",
            .example(["MASVS-STORAGE-1"])
        )
        evidence = try members.required("evidence", \.evidence, "The findings.", .example([]))
        allowed = try members.required("allowed", \.allowed, "The allowed findings.", .example([]))
        doubts = try members.required("doubts", \.doubts, "What could not be determined.", .example([]))
        reads = try members.required("reads", \.reads, "What the rule examines.", .example("the folders of the app"))
        isNamed = try members.required(
            "named",
            \.isNamed,
            "Whether the file declares the rule; otherwise it is a default rule."
        )
        every = try members.required("every", \.every, "The interval in seconds.")
        checked = try members.required("checked", \.checked, "The time of the last evaluation.", .moment)
        since = try members.required("since", \.since, "The time of the last change of the result.", .moment)
        origin = try members.optional("config", \.origin, "The declaration in the services file.")
    }
}

/// A control of OWASP MASVS, with the rules that cover it.
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
        id = try members.required("id", \.id, "The name.", .example("MASVS-STORAGE-1"))
        statement = try members.required(
            "statement",
            \.statement,
            "The requirement.",
            .example("The app securely stores sensitive data.")
        )
        rules = try members.required(
            "rules",
            \.rules,
            "The active rules that cover it.",
            .example(["filePermissions"])
        )
        result = try members.optional("result", \.result, "The worst result; absent without active rules.")
        remark = try members.required(
            "remark",
            \.remark,
            "Other coverage, or why no rule covers it.",
            .example("")
        )
    }
}

/// The results of all rules, with their consequences.
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
        "The results of all security rules."
    )

    package init(_ members: inout Members<Self>) throws(JSONMismatch) {
        result = try members.required("result", \.result, "The worst result.")
        withheld = try members.optional(
            "withheld",
            \.withheld,
            "Why user data and tokens are blocked; absent while they are not."
        )
        rules = try members.required("rules", \.rules, "The active rules.")
        controls = try members.required(
            "controls",
            \.controls,
            "The controls of OWASP MASVS 2.1, with the rules that cover them."
        )
    }
}
