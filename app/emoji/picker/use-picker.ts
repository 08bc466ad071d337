import { useEffect, useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { logProblem } from '../../ui/log-problem.ts'
import { type LoadedPicker, loadPicker } from './load-picker.ts'

/** The picker, once wanted and loaded. If loading fails, shows nothing but one line of text. */
export function usePicker(isWanted: boolean, onFailure: () => void): LoadedPicker | undefined {
  const [loaded, setLoaded] = useState<LoadedPicker>()
  const latest = useLatest(onFailure)
  useEffect(() => {
    if (!isWanted) return
    let isStill = true
    loadPicker().then(
      (picker) => isStill && setLoaded(picker),
      (error: unknown) => {
        logProblem('The emoji picker could not be loaded', error)
        if (isStill) latest.current()
      },
    )
    return () => {
      isStill = false
    }
  }, [isWanted, latest])
  return isWanted ? loaded : undefined
}
