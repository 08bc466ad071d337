import { useEffect, useState } from 'react'
import { startOfDay, startOfNextDay } from '../format/format-times.ts'

/** The start of today, epoch ms; rerenders at midnight and when the page becomes visible. */
export function useToday(): number {
  const [today, setToday] = useState(() => startOfDay(Date.now()))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    // A timer may fire early, or late after sleep: each check starts the next timer.
    const check = () => {
      clearTimeout(timer)
      const now = Date.now()
      setToday(startOfDay(now))
      timer = setTimeout(check, startOfNextDay(now) - now)
    }
    check()
    document.addEventListener('visibilitychange', check)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', check)
    }
  }, [])
  return today
}
