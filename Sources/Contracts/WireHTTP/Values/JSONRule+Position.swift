extension JSONRule<Int64> {
    /// A position in a list, as returned by an earlier response.
    package static var position: Self {
        Self(schema: .text(pattern: "^[0-9]{1,18}$")) { $0 >= 0 ? nil : "found \($0), expected 0 or more" }
    }
}
