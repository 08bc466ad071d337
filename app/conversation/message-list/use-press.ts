import { type RefObject, useCallback, useEffect, useRef } from 'react'

/**
 * Knows whether a pointer is down on an element: what moves under it meanwhile is not clicked.
 * @param onRelease is called after the click, not when the press becomes a scroll
 */
export function usePress(element: RefObject<HTMLElement | null>, onRelease: RefObject<() => void>) {
  const isDown = useRef(false)

  useEffect(() => {
    const pressed = element.current
    if (!pressed) return
    let release: ReturnType<typeof setTimeout>
    const onDown = ({ button }: PointerEvent) => {
      // Where the browser shows its own menu, the release of another button never comes.
      if (button === 0) isDown.current = true
    }
    const onCancel = () => {
      isDown.current = false
    }
    const onUp = () => {
      if (!isDown.current) return
      isDown.current = false
      release = setTimeout(() => onRelease.current())
    }
    pressed.addEventListener('pointerdown', onDown)
    window.addEventListener('pointerup', onUp)
    window.addEventListener('pointercancel', onCancel)
    return () => {
      clearTimeout(release)
      pressed.removeEventListener('pointerdown', onDown)
      window.removeEventListener('pointerup', onUp)
      window.removeEventListener('pointercancel', onCancel)
    }
  }, [element, onRelease])

  return useCallback(() => isDown.current, [])
}
