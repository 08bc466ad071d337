import { type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { UpdateDemand } from '../../offline/update-notices.tsx'
import { useServices } from '../session/services-context.ts'

/** For forms: a notice with a button after the server refused this version of the app. */
export function useUpdateDemand() {
  const { update } = useServices()
  const [words, setWords] = useState<string>()
  const notice: ReactNode = words && (
    <div role="status">
      <UpdateDemand update={update} words={words} />
    </div>
  )
  /** Runs the work, and notes that refusal. @throws what the work throws */
  async function watch<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work
    } catch (cause) {
      if (cause instanceof ApiError && cause.code === 'app_outdated') setWords('Update to go on.')
      throw cause
    }
  }
  return { notice, watch }
}
