/** Cells that a help text needs at least to be folded; with less, the terminal breaks its lines. */
export const narrowest = 20;
