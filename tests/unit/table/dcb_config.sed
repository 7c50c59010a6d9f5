# The settings of test_table's tables in dataplane/config/dcb_config.h: third of three edits.
/^struct port_config {/i\
struct trial_config {\
	bool enable;\
	uint8_t action; /* enum mo_trial_action */\
	uint32_t limit_ms;\
};
/^struct port_config {/a\
	struct trial_config trial[DCB_PRIORITIES];\
	int32_t trial_port;
