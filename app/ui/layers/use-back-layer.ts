import { createContext, use, useEffect } from 'react'
import { useLatest } from '../hooks/use-latest.ts'

/** Takes what closes the layer that was opened last; returns what takes it off again. */
type AddBackLayer = (close: () => void) => () => void

const BackLayersContext = createContext<AddBackLayer | undefined>(undefined)
export const BackLayersProvider = BackLayersContext.Provider

/** Lets Back close this before it leaves the page, where the screen is a phone's: see `BackLayers`. */
export function useBackLayer(isOpen: boolean, close: () => void): void {
  const add = use(BackLayersContext)
  const latest = useLatest(close)
  useEffect(() => {
    return isOpen ? add?.(() => latest.current()) : undefined
  }, [isOpen, add, latest])
}
