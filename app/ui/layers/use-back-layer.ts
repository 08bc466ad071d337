import { createContext, use, useEffect } from 'react'
import { useLatest } from '../hooks/use-latest.ts'

/** Registers the close function of the topmost layer; returns a function that removes it. */
type AddBackLayer = (close: () => void) => () => void

const BackLayersContext = createContext<AddBackLayer | undefined>(undefined)
export const BackLayersProvider = BackLayersContext.Provider

/** Lets Back close this layer before it leaves the page, on phone screens: see `BackLayers`. */
export function useBackLayer(isOpen: boolean, close: () => void): void {
  const add = use(BackLayersContext)
  const latest = useLatest(close)
  useEffect(() => {
    return isOpen ? add?.(() => latest.current()) : undefined
  }, [isOpen, add, latest])
}
