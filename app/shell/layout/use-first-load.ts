import { useEffect, useState } from 'react'

const stepMs = 300
const hideAfterMs = 400
const step = { min: 4, max: 11 }

interface FirstLoad {
  isShown: boolean
  /** 0 to 100. */
  percent: number
}

/**
 * The loading screen, only for this person's first visit on this device. Source: decision 61,
 * section 4.
 */
export function useFirstLoad(userId: string): FirstLoad {
  const key = `first-load-done ${userId}`
  const [isShown, setIsShown] = useState(() => localStorage.getItem(key) === null)
  const [percent, setPercent] = useState(0)
  const isFull = percent >= 100

  useEffect(() => {
    if (!isShown || isFull) return
    const grow = () => setPercent((now) => Math.min(100, now + drawStep()))
    const timer = setInterval(grow, stepMs)
    return () => clearInterval(timer)
  }, [isShown, isFull])

  useEffect(() => {
    if (!isShown || !isFull) return
    localStorage.setItem(key, 'yes')
    const timer = setTimeout(() => setIsShown(false), hideAfterMs)
    return () => clearTimeout(timer)
  }, [isShown, isFull, key])

  return { isShown, percent }
}

function drawStep(): number {
  return step.min + Math.floor(Math.random() * (step.max - step.min + 1))
}
