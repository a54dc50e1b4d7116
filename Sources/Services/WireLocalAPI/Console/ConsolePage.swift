enum ConsolePage { static func document(nonce: String) -> String { "" } }
