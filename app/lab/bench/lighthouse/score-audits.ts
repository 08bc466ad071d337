export interface Score {
  /** 0 to 100, Lighthouse's score: the weighted share of the applicable audits. */
  points: number
  failed: readonly string[]
}

/** @param passed by audit: did it pass? Leaves out audits that do not apply. */
export function scoreAudits(
  passed: Readonly<Record<string, boolean>>,
  weights: Readonly<Record<string, number>>,
): Score {
  const audits = Object.keys(passed)
  const weighAll = (chosen: readonly string[]) =>
    chosen.reduce((sum, audit) => sum + (weights[audit] ?? 0), 0)
  const failed = audits.filter((audit) => !passed[audit])
  const whole = weighAll(audits)
  return { points: whole === 0 ? 100 : 100 * (1 - weighAll(failed) / whole), failed }
}
