import Testing

@Suite("Rules") struct RulesTests {}
