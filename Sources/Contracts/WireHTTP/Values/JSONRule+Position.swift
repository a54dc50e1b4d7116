extension JSONRule<Int64> {
    /// A place in a list, as an answer has told it.
    package static var position: Self {
        Self(schema: .text(pattern: "^[0-9]{1,18}$")) { $0 >= 0 ? nil : "found \($0), expected 0 or more" }
    }
}
