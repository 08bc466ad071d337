import { type RefObject, useEffect, useState } from 'react'
import { useLatest } from './use-latest.ts'
import { watchPress } from './watch-press.ts'

/**
 * Holds a list still under a pressed pointer: the value of before the press, until the click has been; otherwise the
 * current value. A row that moved away between press and release would not be opened.
 * @param element contains what is pressed
 */
export function useHeldWhilePressed<T>(element: RefObject<HTMLElement | null>, value: T): T {
  const [held, setHeld] = useState<{ value: T }>()
  const latest = useLatest(value)
  useEffect(() => {
    const pressed = element.current
    if (!pressed) return
    const letGo = () => setHeld(undefined)
    return watchPress(pressed, {
      onPress: () => setHeld({ value: latest.current }),
      onRelease: letGo,
      onCancel: letGo,
    })
  }, [element, latest])
  return held ? held.value : value
}
