# Each case ends by itself within the limit; what it says tells how.
add_executable(core_ends session/ends.c)
target_link_libraries(core_ends PRIVATE isthmus Threads::Threads)
# Writing to freed memory is what the case is about.
target_compile_options(core_ends PRIVATE -Wno-use-after-free)
# `program`: core_ends, whose standard input stays open (a pipe that the shell itself could write to), or
# core_exits, which has none.
function(add_case program input case text)
    add_test(NAME core.ends.${case}
             COMMAND sh -c "${input}; timeout 4 \"$1\" run -n 2 \"$2\" ${case} <&3; echo status $?" sh
                     $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:${program}>)
    set_tests_properties(core.ends.${case} PROPERTIES PASS_REGULAR_EXPRESSION "${text}" TIMEOUT 30)
endfunction()
function(add_end case text)
    add_case(core_ends "pipe=${CMAKE_CURRENT_BINARY_DIR}/ends.${case} && rm -f \"$pipe\" && mkfifo \"$pipe\" && exec 3<>\"$pipe\""
             ${case} "${text}")
endfunction()
if(NOT ISTHMUS_SANITIZE)  # a sanitizer's own handler and allocator come first
    add_end(fault_after_second_init "PE 1 .*killed by SIGSEGV.*status 139")
    add_end(fault_inside_malloc "PE 1 .*killed by SIG(SEGV|ABRT).*status 13[49]")
    foreach(case raised_segv killed_by_segv queued_segv)
        add_end(${case} "^isthmus: PE 1 [^\n]*killed by SIGSEGV[^\n]*\nstatus 139")
    endforeach()
    add_end(killed_by_bus "^isthmus: PE 1 [^\n]*killed by SIGBUS[^\n]*\nstatus 135")
    add_end(handled_segv "^status 0")
endif()
add_end(exit_while_input_is_read "status 7")
add_end(exit_by_handler_in_finalize "status 9")
add_end(exit_by_thread_in_finalize "status 3")
add_end(exit_in_finalize "^isthmus: PE 1 [^\n]*exited with status 0 before shmem_finalize[^\n]*\nstatus 1")
add_end(_exit_in_finalize "^isthmus: PE 1 [^\n]*exited with status 0 before shmem_finalize[^\n]*\nstatus 1")
add_end(exit_well_by_thread_in_finalize "^PE 0 has finalised\nstatus 0")
add_end(threads_want_one_lock "status 0")
add_end(failing_fork "status 0")
add_end(fork_without_the_file "a forked child ends: the program has closed the library's file.*status 0")
add_end(closed_before_init "shmem_init: the program has closed file descriptor .*status 1")

# Of two ends the first is the job's, with its status and its line alone; on one road as on the other.
add_executable(core_two_ends session/two_ends.c)
target_link_libraries(core_two_ends PRIVATE isthmus Threads::Threads)
# With a word on how (two_ends.c) a report of a crash takes its time, as that of a big program, which is less than 8 s.
set(slow ${CMAKE_CURRENT_BINARY_DIR}/slow)
file(WRITE ${slow}/addr2line "#!/bin/sh\nsleep 0.6\nPATH=\${PATH#*:}\nexec addr2line \"$@\"\n")
file(CHMOD ${slow}/addr2line PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
file(WRITE ${slow}/er/addr2line "#!/bin/sh\nsleep 1.5\nPATH=\${PATH#*:}\nexec addr2line \"$@\"\n")
file(CHMOD ${slow}/er/addr2line PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
function(add_two_ends first second milliseconds text)
    foreach(road auto packet)
        set(name core.ends.two.${road}.${first}_then_${second}_${milliseconds})
        set(limit "timeout 20")
        foreach(how ${ARGN})
            string(APPEND name .${how})
            set(limit "PATH=${slow}:$PATH timeout 8")
            if(how STREQUAL slower)
                set(limit "PATH=${slow}/er:$PATH timeout 8")
            endif()
        endforeach()
        add_test(NAME ${name}
                 COMMAND sh -c "${limit} \"$1\" run -n 4 \"$2\" ${first} ${second} ${milliseconds} ${ARGN} 2>&1; echo status $?" sh
                         $<TARGET_FILE:isthmus_tool> $<TARGET_FILE:core_two_ends>)
        set_tests_properties(${name} PROPERTIES PASS_REGULAR_EXPRESSION "${text}" TIMEOUT 30 PROCESSORS 2
                             ENVIRONMENT ISTHMUS_TRANSPORT=${road})
    endforeach()
endfunction()
foreach(second exit5 exit0 kill abort)
    # Of what crashes, too, its report is told.
    add_two_ends(end9 ${second} 20 "^(isthmus: PE 1 [^\n]*SIGABRT[^\n]*\n|isthmus:   [^\n]*\n)*status 9\n$")
    add_two_ends(end0 ${second} 60 "^(isthmus: PE 1 [^\n]*SIGABRT[^\n]*\n|isthmus:   [^\n]*\n)*status 0\n$")
endforeach()
if(NOT ISTHMUS_SANITIZE)
    add_two_ends(abort exit5 20 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 134\n$")
    add_two_ends(fault end0 20 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 139\n$")
    add_two_ends(fault exit5 20 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 139\n$")
    # Nobody says that a PE is lost, or that it has left, while another one's report lasts; of two that report the first
    # to begin counts.
    add_two_ends(fault exit5 20 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 139\n$" waits)
    add_two_ends(abort exit0 40 "^(isthmus: PE 1 [^\n]*\n|isthmus:   [^\n]*\n)*status 134\n$" reversed)
    add_two_ends(fault abort 20 "^(isthmus: PE [01] [^\n]*\n|isthmus:   [^\n]*\n)*status 139\n$" waits)
    # Of two threads of a PE as well.
    add_two_ends(abort end0 20 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 134\n$" threads)
    # An error of a call waits for that report, too.
    add_two_ends(fault error 40 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 139\n$" waits)
    # An end that fails itself is no good one.
    add_two_ends(broken_fault nothing 0 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 139\n$")
    # Not even if its report takes longer than the output would have.
    add_two_ends(broken_fault nothing 0 "^(isthmus: PE 0 [^\n]*\n|isthmus:   [^\n]*\n)*status 139\n$" slower)
    # Nor do two that report wait for each other.
    add_two_ends(pointer pointer 0 "^isthmus: PE [01] [^\n]* is not symmetric[^\n]*\nstatus 1\n$")
    # A child that shares the PE's memory reports nothing, nor does it keep the PE from it.
    add_two_ends(vfork nothing 0 "^isthmus: PE 0 [^\n]*SIGSEGV, write to [^\n]*\n(isthmus:   [^\n]*\n)+isthmus: PE 0 [^\n]*\nstatus 139\n$" waits)
endif()
foreach(second exit5 exit0 end0 end5 error)
    add_two_ends(end9 ${second} 10 "^status 9\n$" threads)
endforeach()
foreach(second exit5 quick5 _exit5 end5 error)
    add_two_ends(end0 ${second} 10 "^status 0\n$" threads)
endforeach()
# What who exits behind another one's end has printed is written.
add_two_ends(end0 print_exit0 20 "^printed\nstatus 0\n$")
add_two_ends(end9 print_exit5 10 "^printed\nstatus 9\n$" threads)
add_two_ends(broken_error nothing 0 "^isthmus: PE 0 [^\n]*\nstatus 1\n$")
add_two_ends(broken_kill nothing 0 "^isthmus: PE 0 [^\n]*killed by SIGKILL[^\n]*\nstatus 137\n$")
add_two_ends(broken__exit3 nothing 0 "^isthmus: PE 0 [^\n]*exited with status 3[^\n]*\nstatus 3\n$")

# What a program does behind main, and what the others learn of a PE that is there already.
add_executable(core_exits session/exits.cpp)
target_link_libraries(core_exits PRIVATE isthmus Threads::Threads)
function(add_exit case text)
    add_case(core_exits "exec 3</dev/null" ${case} "${text}")
endfunction()
foreach(case static_object exit_handler destructor)
    add_exit(${case} "PE . finalised\nPE . finalised\nstatus 0")
endforeach()
add_exit(free_in_static_object "PE . freed\nPE . freed\nstatus 0")
add_exit(late "PE 0 exits\nPE 1 exits\nstatus 0")
add_exit(puts_to_who_has_exited "PE 0 counted\nstatus 0")
add_exit(status "PE 1 .*exited with status 3 before shmem_finalize[^\n]*\nstatus 3")
set(comes_not "waits in vain for PE 1, which has exited\nstatus 1")
add_exit(exit_at_once "^isthmus: PE 1 [^\n]*exited with status 0 before shmem_finalize[^\n]*\nstatus 1")
add_exit(exit_quickly "^isthmus: PE 1 [^\n]*exited with status 0 before shmem_finalize[^\n]*\nstatus 1")
add_exit(exit_early "^isthmus: PE 0 [^\n]*: shmem_barrier_all: ${comes_not}")
add_exit(main_thread_ends "^isthmus: PE 0 [^\n]*: shmem_barrier_all: ${comes_not}")
add_exit(main_thread_ends_first "PE 0 has worked on\nstatus 0")
add_exit(segment_behind_main_thread "PE . has a segment\nPE . has a segment\nstatus 0")
add_exit(exit_before_one_barrier "^isthmus: PE 0 [^\n]*: shmem_barrier_all: ${comes_not}")
add_exit(exit_before_native_init "^isthmus: PE 0 [^\n]*: isthmus_init: ${comes_not}")
add_exit(finalize_before_native_init "^isthmus: PE 0 [^\n]*: isthmus_init: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")
add_exit(exit_before_collective "^isthmus: PE 0 [^\n]*: shmem_long_sum_reduce: ${comes_not}")
add_exit(exit_with_lock "^isthmus: PE 0 [^\n]*: shmem_set_lock: ${comes_not}")
set(no_finish "^isthmus: PE 0 [^\n]*: isthmus_aggregator_finish: waits in vain for PE 1, which has")
add_exit(leave_before_aggregator_finish "${no_finish} called isthmus_finalize\nstatus 1")
add_exit(exit_before_aggregator_finish "${no_finish} exited\nstatus 1")
# Whichever interface came first, and whichever way a PE goes.
foreach(order "" native_first_)
    add_exit(${order}return_before_aggregator_finish "${no_finish} exited\nstatus 1")
    add_exit(${order}inner_finalize_before_aggregator_finish "${no_finish} called shmem_finalize\nstatus 1")
    add_exit(${order}exit_before_last_barrier "^isthmus: PE 0 [^\n]*: isthmus_barrier: ${comes_not}")
    add_exit(${order}exit_before_last_finalize "PE 0 finalised\nstatus 0")
    # Not while another thread goes on, and once it has ended.
    add_exit(${order}thread_goes_on "PE . finalised\nPE . finalised\nstatus 0")
    add_exit(${order}thread_ends
             "^isthmus: PE 0 [^\n]*: isthmus_barrier: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")
    # Nor while it may, but where it waits for who leaves.
    foreach(case is_idle_for_long is_woken_by_signal is_woken_by_process)
        add_exit(${order}thread_${case} "PE . finalised\nPE . finalised\nstatus 0")
    endforeach()
    foreach(case is_idle joins_leaver)
        add_exit(${order}thread_${case}
                 "^isthmus: PE 0 [^\n]*: isthmus_barrier: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")
    endforeach()
endforeach()
foreach(case leave exit)
    string(REPLACE leave "called isthmus_finalize" how ${case})
    string(REPLACE exit exited how ${how})
    add_exit(native_first_${case}_before_aggregator_finish "${no_finish} ${how}\nstatus 1")
endforeach()
add_exit(native_first_inner_finalize_early "^isthmus: PE 0 [^\n]*: shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")
add_exit(inner_finalize_early "^isthmus: PE 0 [^\n]*: shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")
add_exit(inner_finalize_late "PE . finalised\nPE . finalised\nstatus 0")
add_exit(finalize_early "^isthmus: PE 0 [^\n]*: shmem_barrier_all: waits in vain for PE 1, which has called shmem_finalize\nstatus 1")

# Exit handlers outlive the handle of who loaded the library.
add_executable(core_unload session/unload.c)
target_link_libraries(core_unload PRIVATE ${CMAKE_DL_LIBS})
add_test(NAME core.ends.unload COMMAND core_unload $<TARGET_FILE:isthmus>)

# A process manager is told by who may be in a handler of a signal; a program's own handlers come first.
if(NOT ISTHMUS_SANITIZE)
    add_executable(core_leaves session/leaves.c)
    target_link_libraries(core_leaves PRIVATE isthmus)
    set(tells "out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" $2 2>&1); status=$?; echo \"$out\"
               [ $status -eq 5 ] || { echo \"status $status, and not the program's 5\"; exit 1; }
               case \"$out\" in *allocates*) exit 1;; *PE\\ 1\\ *the\\ job\\ ends*) ;; *) exit 1;; esac")
    add_hydra_test(core.ends.leaves_without_memory "${tells}" $<TARGET_FILE:core_leaves> _exit)
    add_hydra_test(core.ends.leaves_behind_handlers "${tells}
               case \"$out\" in *handler*the\\ job\\ ends*) ;; *) exit 1;; esac"
                   $<TARGET_FILE:core_leaves> quick_exit)
    # Which Hydra itself says nothing of.
    foreach(who one all)
        add_hydra_test(core.ends.hydra_status_after_finalize.${who}
                       "out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" returns $2 2>&1); status=$?; echo \"$out\"; echo status $status
                        [ $status -eq 5 ] && [ 1 -eq $(echo \"$out\" | grep -c .) ] &&
                        echo \"$out\" | grep -q '^isthmus: PE [01] .*: exited with status 5 after shmem_finalize$'"
                       $<TARGET_FILE:core_leaves> ${who})
    endforeach()
    # Of two ends the first is the job's. Of the later one at most its report is told. A signal's status is Hydra's own,
    # sometimes with that of the PEs that it ends by SIGTERM.
    foreach(ends "end9 abort 20 9 1" "end9 fault 40 9 1" "end9 exit5 20 9 1" "fault exit5 20 139|11|15 0" "abort end0 20 134|6|15 0"
            "end9 quick5 30 9 1" "end9 _exit5 30 9 1" "end9 sent 30 9 1" "fault error 40 139|11|15 1"
            "broken_error nothing 0 1 1")
        separate_arguments(ends)
        list(GET ends 0 first)
        list(GET ends 1 second)
        list(GET ends 2 milliseconds)
        list(GET ends 3 status)
        list(GET ends 4 silent)
        add_hydra_test(core.ends.hydra_two.${first}_then_${second}_${milliseconds}
                       "out=$(timeout 20 mpiexec.hydra -n 4 \"$1\" ${first} ${second} ${milliseconds} 2>&1); status=$?; echo \"$out\"; echo status $status
                        case $status in ${status}) ;; *) exit 1;; esac
                        ! echo \"$out\" | grep -q '^isthmus: PE ${silent} .*the job ends'"
                       $<TARGET_FILE:core_two_ends>)
    endforeach()
    add_hydra_test(core.ends.hydra_two_threads
                   "out=$(timeout 20 mpiexec.hydra -n 4 \"$1\" abort end0 20 threads 2>&1); status=$?; echo \"$out\"; echo status $status
                    case $status in 134|6|15) ;; *) exit 1;; esac"
                   $<TARGET_FILE:core_two_ends>)
    # A program's error that the system takes for none: the others do not wait for it in vain.
    add_hydra_test(core.ends.exits_with_256
                   "out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" wide 2>&1); status=$?; echo \"$out\"; echo status $status
                    [ $status -eq 1 ] || exit 1
                    case \"$out\" in *waits\\ in\\ vain\\ for\\ PE\\ 1,\\ which\\ has\\ exited*) ;; *) exit 1;; esac"
                   $<TARGET_FILE:core_leaves>)
    add_hydra_test(core.ends.unknown_setting
                   "out=$(ISTHMUS_WARP_FACTOR=9 timeout 20 mpiexec.hydra -n 4 \"$1\" wide 2>&1); status=$?; echo \"$out\"; echo status $status
                    [ $status -eq 1 ] && [ 1 -eq $(echo \"$out\" | grep -c 'ISTHMUS_WARP_FACTOR is not known') ]"
                   $<TARGET_FILE:core_leaves>)
    # A process manager's words may be few, and come from the others' end.
    add_hydra_test(core.ends.raised_under_hydra
                   "out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" raised_segv 2>&1); status=$?; echo \"$out\"; echo status $status
                    [ $status -ne 0 ] && [ 1 -eq $(echo \"$out\" | grep -c '^isthmus: PE 1 .*: killed by SIGSEGV, sent by itself; last noted call .*; the job ends$') ]"
                   $<TARGET_FILE:core_ends>)
    # Out of the middle of shmem_finalize and shmem_init, with status 0.
    foreach(way _exit quick_exit exit)
        foreach(call finalize init)
            add_hydra_test(core.ends.hydra_${way}_in_${call}
                           "out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" ${way}_in_${call} 2>&1); status=$?; echo \"$out\"; echo status $status
                            [ $status -eq 1 ] && [ 1 -eq $(echo \"$out\" | grep -c '^isthmus:') ] &&
                            [ 1 -eq $(echo \"$out\" | grep -c '^isthmus: PE 1 .* in the middle of shmem_${call}; the job ends$') ]"
                           $<TARGET_FILE:core_ends>)
        endforeach()
    endforeach()
    add_hydra_test(core.ends.hydra_exit_by_thread_in_finalize
                   "out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" exit_well_by_thread_in_finalize 2>&1); status=$?; echo \"$out\"; echo status $status
                    [ $status -eq 0 ] && [ \"$out\" = 'PE 0 has finalised' ]"
                   $<TARGET_FILE:core_ends>)
    # The program's own SIGALRM, however often: a job that runs well ends well.
    foreach(case ticks_of_timer ticks_of_timer_restless ticks_of_process)
        add_hydra_test(core.ends.hydra_${case}
                       "for turn in 1 2 3; do
                            out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" ${case} 2>&1); status=$?; echo \"$out\"; echo status $status
                            [ $status -eq 0 ] && [ -z \"$out\" ] || exit 1
                        done"
                       $<TARGET_FILE:core_ends>)
    endforeach()
    add_test(NAME core.ends.mpirun_ticks_of_timer
             COMMAND sh -c "command -v mpirun.openmpi || { echo skipped: no mpirun.openmpi; exit 77; }
                            out=$(timeout 30 mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 \"$1\" ticks_of_timer 2>&1)
                            status=$?; echo \"$out\"; echo status $status
                            [ $status -eq 0 ] && [ -z \"$out\" ]"
                     sh $<TARGET_FILE:core_ends>)
    set_tests_properties(core.ends.mpirun_ticks_of_timer PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 60)
    # A PE that is stopped in another process group, which Hydra does not reach. Who has ended and was not waited for yet
    # has ended.
    add_hydra_test(core.ends.hydra_stopped_elsewhere
                   "file=$(mktemp)
                    out=$(FILE=$file PROGRAM=$1 timeout 20 mpiexec.hydra -n 2 sh -c 'if [ $PMI_RANK = 1 ]; then exec setsid -w sh -c \"echo \\$\\$ > $FILE; kill -STOP \\$\\$\"; fi; exec $PROGRAM wide' 2>&1)
                    status=$?; echo \"$out\"; echo status $status; process=$(cat $file); rm $file
                    [ $status -ne 0 ] && [ 1 -eq $(echo \"$out\" | grep -c 'waits in vain for PE 1, whose process on this host has been stopped') ] || exit 1
                    for try in 1 2 3 4 5 6 7 8 9 10; do grep -q '^State:.[^Z]' /proc/$process/status || exit 0; sleep 0.1; done
                    kill -9 $process; echo \"$process was left\"; exit 1"
                   $<TARGET_FILE:core_leaves>)
    set_tests_properties(core.ends.hydra_stopped_elsewhere PROPERTIES ENVIRONMENT
        "ISTHMUS_DETECT_SECONDS=0.5;ISTHMUS_STALL_SECONDS=0;ISTHMUS_JOIN_SECONDS=15")
    # Hydra takes what holds its socket for the PE.
    add_hydra_test(core.ends.hydra_daemon
                   "out=$(timeout 20 mpiexec.hydra -n 3 \"$1\" daemon_goes_on 2>&1); status=$?; echo \"$out\"; echo status $status
                    [ $status -eq 1 ] && [ 1 -eq $(echo \"$out\" | grep -c '^isthmus:') ] &&
                    [ 1 -eq $(echo \"$out\" | grep -c ': shmem_barrier_all: waits in vain for PE 1, whose process on this host has ended$') ]"
                   $<TARGET_FILE:core_ends>)
    # PMIx has a thread that outlives the program's last one.
    add_test(NAME core.ends.mpirun_main_thread_ends
             COMMAND sh -c "command -v mpirun.openmpi || { echo skipped: no mpirun.openmpi; exit 77; }
                            out=$(ISTHMUS_STALL_SECONDS=0 timeout 30 mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 \"$1\" main_thread_ends 2>&1)
                            status=$?; echo \"$out\"; echo status $status
                            [ 1 -eq $(echo \"$out\" | grep -c '^isthmus: PE 0 .*: shmem_barrier_all: waits in vain for PE 1, which has exited$') ]"
                     sh $<TARGET_FILE:core_exits>)
    set_tests_properties(core.ends.mpirun_main_thread_ends PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 60)
    # PMIx allocates to end a job.
    add_test(NAME core.ends.leaves_within_malloc
             COMMAND sh -c "command -v mpirun.openmpi || { echo skipped: no mpirun.openmpi; exit 77; }
                            out=$(timeout 30 mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 \"$1\" locked 2>&1)
                            status=$?; echo \"$out\"; echo status $status
                            case \"$out\" in *PE\\ 1\\ *the\\ job\\ ends*) ;; *) exit 1;; esac
                            [ $status -eq 5 ]"
                     sh $<TARGET_FILE:core_leaves>)
    set_tests_properties(core.ends.leaves_within_malloc PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 60)
    # While the connection to the manager is being opened.
    add_executable(core_leaves_asking session/leaves_asking.c)
    target_link_libraries(core_leaves_asking PRIVATE isthmus ${CMAKE_DL_LIBS})
    foreach(command init get_maxes get_my_kvsname)
        add_hydra_test(core.ends.hydra_leaves_at_${command}
                       "for way in 'exit 0' '_exit 0' 'exit 3'; do
                            out=$(timeout 20 mpiexec.hydra -n 2 \"$1\" $way ${command} 2>&1); status=$?; echo \"$out\"; echo status $status
                            [ $status -eq $(echo $way | sed 's/.* //; s/0/1/') ] && [ 1 -eq $(echo \"$out\" | grep -c '^isthmus:') ] &&
                            [ 1 -eq $(echo \"$out\" | grep -c '^isthmus: PE 1 .* in the middle of shmem_init; the job ends$') ] || exit 1
                        done"
                       $<TARGET_FILE:core_leaves_asking>)
    endforeach()
    # Behind shmem_finalize a PE may end at once, and the others still write.
    foreach(way _exit quick_exit)
        add_hydra_test(core.ends.late${way}
                       "out=$(timeout 20 mpiexec.hydra -n 3 \"$1\" $2 late 2>&1); status=$?; echo \"$out\"; echo status $status
                        case \"$out\" in *allocates*) exit 1;; esac
                        [ $status -eq 5 ] && [ 2 -eq $(echo \"$out\" | grep -c 'PE [02] has written') ]"
                       $<TARGET_FILE:core_leaves> ${way})
    endforeach()
    # `closed`: PMIx_Finalize waits for ever.
    foreach(case "_exit late 0" "quick_exit late 0" "closed")
        string(REGEX REPLACE " .*" "" name "${case}")
        add_test(NAME core.ends.mpirun_${name}
                 COMMAND sh -c "command -v mpirun.openmpi || { echo skipped: no mpirun.openmpi; exit 77; }
                                out=$(timeout 30 mpirun.openmpi --allow-run-as-root --oversubscribe -n 2 \"$1\" ${case} 2>&1)
                                status=$?; echo \"$out\"; echo status $status
                                case ${name} in
                                closed) [ $status -ne 124 ] && [ 2 -eq $(echo \"$out\" | grep -c 'PE [01] is here') ];;
                                *) case \"$out\" in *improperly*) exit 1;; *PE\\ 0\\ has\\ written*) ;; *) exit 1;; esac
                                   [ $status -eq 0 ];;
                                esac"
                         sh $<TARGET_FILE:core_leaves>)
        set_tests_properties(core.ends.mpirun_${name} PROPERTIES SKIP_RETURN_CODE 77 PROCESSORS 2 TIMEOUT 60)
    endforeach()
endif()
