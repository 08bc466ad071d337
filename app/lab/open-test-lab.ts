import { onTestFinished } from 'vitest'
import { createLab, type LabOptions } from './create-lab.ts'

/** For tests: a lab with Ann and Ben that closes itself when the test is over. */
export async function openTestLab(options: LabOptions = {}) {
  const lab = await createLab(options)
  onTestFinished(() => lab.close())
  const [ann, ben] = [await lab.person('ann'), await lab.person('ben')]
  return { lab, ann, ben }
}
