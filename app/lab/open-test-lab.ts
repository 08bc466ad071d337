import { onTestFinished } from 'vitest'
import { createLab } from './create-lab.ts'
import type { LabOptions } from './lab.ts'

/** For tests: a lab with Ann and Ben that closes itself when the test ends. */
export async function openTestLab(options: LabOptions = {}, people: { hasKeys?: boolean } = {}) {
  const lab = await createLab(options)
  onTestFinished(() => lab.close())
  const [ann, ben] = [await lab.person('ann', people), await lab.person('ben', people)]
  return { lab, ann, ben }
}
