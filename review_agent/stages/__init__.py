"""The stages of a review, one public verb each: snapshot, questions, evidence, synthesis, contract, verification."""
