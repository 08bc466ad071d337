import { type RefObject, useCallback, useEffect, useRef } from 'react'
import { watchPress } from '../../ui/hooks/watch-press.ts'

/**
 * Knows whether a pointer is down on an element.
 * @param onRelease is called after the click, not when the press becomes a scroll
 */
export function usePress(element: RefObject<HTMLElement | null>, onRelease: RefObject<() => void>) {
  const isDown = useRef(false)

  useEffect(() => {
    const pressed = element.current
    if (!pressed) return
    return watchPress(pressed, {
      onPress: () => {
        isDown.current = true
      },
      onRelease: () => {
        isDown.current = false
        onRelease.current()
      },
      onCancel: () => {
        isDown.current = false
      },
    })
  }, [element, onRelease])

  return useCallback(() => isDown.current, [])
}
